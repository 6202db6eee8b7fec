"""The demo: bots play a night at the simulated board by pressing its buttons."""
