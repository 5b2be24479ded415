"""Games as PettingZoo environments, for training, and trained policies as bots.

    env = lanista.env.parallel_env("hogwarts")
    observations, infos = env.reset(seed=1)

This needs the extra `rl`: `pip install 'lanista[rl]'`. docs/training.md describes the arrays.
"""

from lanista.env.bot import Policy, PolicyBot, as_bot
from lanista.env.parallel import LanistaEnv, env, parallel_env
from lanista.env.single import SeatEnv, seat_env

__all__ = [
    "LanistaEnv",
    "Policy",
    "PolicyBot",
    "SeatEnv",
    "as_bot",
    "env",
    "parallel_env",
    "seat_env",
]
