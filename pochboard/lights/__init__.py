"""What the board shows: the colours of all pixels, from state, pending input and time."""
