"""What the benches share: printing figures and keeping them as JSON."""

import json
import os
import platform
import statistics
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def keep(name, figures):
    """Print figures and write them to results/NAME.json with what they were measured on."""
    machine = {
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
        "cores": os.cpu_count(),
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine, **figures}, indent=2) + "\n")
    print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in figures.items()))


def median(values):
    return round(statistics.median(values), 3)
