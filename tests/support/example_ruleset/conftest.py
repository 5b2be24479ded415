"""Not part of the example: its own test runs where the package is installed.

`tests/docs/test_rulesets.py` sees to that, in a process of its own.
"""

collect_ignore = ["test_take_away.py"]
