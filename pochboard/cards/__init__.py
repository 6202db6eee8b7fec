"""The rules of the cards (docs/CARDS.md): decks, dealing, claims, showdowns, shedding. All pure."""
