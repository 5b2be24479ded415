"""Functions that are played as bots, and options that keep a busy machine out of the tests."""

PATIENT = {"no_clock": True, "stall_margin": 600.0}


def right(state):
    """Angry Mob: every unit goes right where it can."""
    return [(i, j, n, 0) for (i, j), n in state.mine.items() if state.passable(i, j + 1)]


def raises(state):
    """Fails in turn 2."""
    if state.turn == 2:
        raise ZeroDivisionError("by hand")
    return right(state)
