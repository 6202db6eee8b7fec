"""Bots: they see what a player in their seat sees, and play whole nights by the rules."""
