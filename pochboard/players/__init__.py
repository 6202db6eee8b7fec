"""House players: they see what a player at their seat sees, and play whole nights by the rules."""
