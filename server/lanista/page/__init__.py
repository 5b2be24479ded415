"""The arena's page: its server, what it shows, and the files that a browser loads.

The page shows matches and controls them, but decides no rule. No other package needs it; the
arena runs without it.
"""
