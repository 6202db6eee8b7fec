"""The board's side of version 1 of the protocol, as it was released. Do not change it."""
