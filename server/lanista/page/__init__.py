"""The arena's page: its server, what it shows, and the files that a browser loads."""
