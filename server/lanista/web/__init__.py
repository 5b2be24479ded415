"""The arena's page: its server, its films of matches, and what a browser loads.

Shows and steers, decides no rule. Nothing below it knows of it: the daemon runs without.
"""
