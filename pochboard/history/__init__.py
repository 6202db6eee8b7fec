"""Statistics of people over all nights of a ledger."""
