"""Texts below the words: what the core, too, may read and say."""
