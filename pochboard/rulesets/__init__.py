"""The rulesets that can be played: those of the program and those of the house."""
