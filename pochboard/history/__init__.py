"""What a ledger says of people over the years."""
