"""Steps a second of players that choose at random, in RLCard or OpenSpiel.

It runs in the environment of these packages, which the project itself never has, and prints the
rate: `random_players.py rlcard|pyspiel GAME SECONDS`.
"""

from __future__ import annotations

import importlib
import random
import sys
import time
from typing import Any


def steps_of_rlcard(game: str, seconds: float) -> float:
    rlcard: Any = importlib.import_module("rlcard")
    agents: Any = importlib.import_module("rlcard.agents")
    env = rlcard.make(game, config={"seed": 1})
    env.set_agents([agents.RandomAgent(num_actions=env.num_actions)] * env.num_players)
    begun, spent = time.process_time(), 0.0
    while spent < seconds:
        env.run(is_training=False)
        spent = time.process_time() - begun
    # Of all games.
    return float(env.timestep / spent)


def steps_of_open_spiel(game: str, seconds: float) -> float:
    pyspiel: Any = importlib.import_module("pyspiel")
    loaded, chance = pyspiel.load_game(game), random.Random(1)
    steps, begun, spent = 0, time.process_time(), 0.0
    while spent < seconds:
        state = loaded.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chance.choices(outcomes, chances)[0])
            else:
                state.apply_action(chance.choice(state.legal_actions()))
                steps += 1
        spent = time.process_time() - begun
    return steps / spent


if __name__ == "__main__":
    of = {"rlcard": steps_of_rlcard, "pyspiel": steps_of_open_spiel}[sys.argv[1]]
    print(of(sys.argv[2], float(sys.argv[3])))
