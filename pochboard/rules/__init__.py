"""The rules of docs/RULES.md: rulesets as data, commands, the state of a night."""
