"""numpy for the standings, limited to one thread, and names of its array types.

Import numpy from here. By default its linear algebra uses a thread for each core. For matrices as
small as ours that costs many times what it saves; it takes the cores from the bots whose clocks
run, and lets the last digits depend on the machine. A number of threads that the user has set is
respected; and if numpy was already imported by something else, its setting stays.
"""

import os

_THREADS = "OPENBLAS_NUM_THREADS"
_ours = _THREADS not in os.environ and "OMP_NUM_THREADS" not in os.environ
if _ours:
    os.environ[_THREADS] = "1"

import numpy as np  # noqa: E402 - it reads the setting when imported
from numpy.typing import NDArray  # noqa: E402 - as above

if _ours:
    # Bots inherit this environment, and have settings of their own.
    del os.environ[_THREADS]

__all__ = ["Bools", "Floats", "Ints", "NDArray", "np"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
