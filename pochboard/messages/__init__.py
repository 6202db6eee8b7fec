"""What the table says about itself, in whole sentences that can be translated.

English is the source language. Every sentence is a literal in a call of `gettext` or one of its
kin, here or where something is refused, so that Babel finds it (`tests/catalogues.py`).
"""
