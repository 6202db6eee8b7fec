"""What holds for every test: the same inputs on every run, however slow the machine is."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Derandomized, so that a change fails on its own faults only, and the same on every machine.
# `--hypothesis-profile=search` looks for new examples.
_ANY_SPEED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", _ANY_SPEED, derandomize=True)
settings.register_profile("search", _ANY_SPEED)
settings.load_profile("repeatable")
