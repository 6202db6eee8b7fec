"""Backups of the ledger, the configuration and the house rulesets in one file, and restoring one.

`archive` defines the file format, `making` makes and rotates backups, `restoring` restores one.
"""
