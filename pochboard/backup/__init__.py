"""Backups: one file with the ledger, the configuration and the house rulesets; and restoring one.

`archive` is the format of the file, `making` makes and rotates backups, `restoring` puts one back.
"""
