"""The ledger: entries with postings, the book that folds them into a state, and replay."""
