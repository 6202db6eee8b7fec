"""Texts: sentences in two languages, what may be written and what is seen of it."""
