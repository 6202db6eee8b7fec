"""The club: the ledgers of several boards in PostgreSQL (docs/CLUB.md)."""
