"""The house bots: opponents that come with the arena, each a process of its own like any other bot.

This module has only the table of their names. It must stay cheap to import, so it imports no bot
and no client. A bot's module is run as `python -m MODULE`. It learns where the arena is from
LANISTA_HOST, LANISTA_PORT, LANISTA_NAME and LANISTA_TOKEN, and uses nothing of the project but
`lanista_client`.
"""

HOUSE: dict[str, dict[str, str]] = {
    "angrymob": {
        "CamperJoe": "lanista.house.camper_joe",
        "ProfessorRandom": "lanista.house.professor_random",
        "RandomRunners": "lanista.house.random_runners",
        "GravityGoers": "lanista.house.gravity_goers",
    },
    "hogwarts": {
        "Null": "lanista.house.hogwarts_null",
        "Demo": "lanista.house.hogwarts_demo",
        "Dummy": "lanista.house.hogwarts_dummy",
    },
    "crematoria": {
        "Null": "lanista.house.crematoria_null",
        "Demo": "lanista.house.crematoria_demo",
        "Dummy": "lanista.house.crematoria_dummy",
    },
}
"""The modules of each game's house bots by name, from the weakest bot to the strongest."""
