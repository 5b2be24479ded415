"""Leaves a multiple of most + 1 to the opponent whenever it can, and so wins."""

from lanista_client import Arena

with Arena("Taker", game="take-away") as arena:
    for state in arena:
        heap = int(state.facts["heap"][0][0])
        mover = int(state.facts["mover"][0][0])
        if mover == state.seat:
            arena.send([(heap % (state.settings["most"] + 1) or 1,)])
        else:
            arena.send([])
