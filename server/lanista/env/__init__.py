"""Games as PettingZoo environments, for training, and trained policies as bots.

    env = lanista.env.parallel_env("hogwarts")
    observations, infos = env.reset(seed=1)

docs/training.md describes options and arrays. `pip install 'lanista[rl]'` installs what is needed.
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
