"""Tests of the page in Chromium. A package, so that its tests can share a browser."""
