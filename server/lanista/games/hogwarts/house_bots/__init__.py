"""The house bots of Hogwarts, a module for each; importing this package imports none of them."""

HOUSE_BOTS = {
    "Null": "null",
    "Demo": "demo",
    "Dummy": "dummy",
}
"""The modules by the bots' names, from the weakest bot to the strongest."""
