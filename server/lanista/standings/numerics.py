"""numpy for the tournament's maths, on one thread; its kinds of arrays. Nothing is computed here.

Import numpy from here. Its linear algebra takes a thread a core by default: for matrices as small
as these that costs many times what it saves, takes the cores from the bots whose clocks run, and
lets the last digits depend on the machine. A setting that the user made holds, and so does what was
before for a numpy that was imported earlier.
"""

import os

_THREADS = "OPENBLAS_NUM_THREADS"
_ours = _THREADS not in os.environ and "OMP_NUM_THREADS" not in os.environ
if _ours:
    os.environ[_THREADS] = "1"

import numpy as np  # noqa: E402 - it reads the setting when it is imported
from numpy.typing import NDArray  # noqa: E402 - as above

if _ours:
    # Bots are started with this environment, and have settings of their own.
    del os.environ[_THREADS]

__all__ = ["Bools", "Floats", "Ints", "NDArray", "np"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
