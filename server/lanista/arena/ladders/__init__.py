"""The ladders of an arena: the names on them, who meets whom, and what becomes of the results."""
