"""The house bots of Angry Mob, a module for each; importing this package imports none of them."""

HOUSE_BOTS = {
    "CamperJoe": "camper_joe",
    "ProfessorRandom": "professor_random",
    "RandomRunners": "random_runners",
    "GravityGoers": "gravity_goers",
}
"""The modules by the bots' names, from the weakest bot to the strongest."""
