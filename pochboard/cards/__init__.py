"""The cards: decks, dealing, what a hand may claim, who wins, how cards are shed. All pure."""
