"""The demo: house players at the simulated board, pressing its buttons."""
