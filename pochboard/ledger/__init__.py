"""The ledger: entries with postings, the fold over them, sentences and score sheets."""
