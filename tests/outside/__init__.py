"""A package, so that the browser of its tests ends before the tests of other folders begin."""
