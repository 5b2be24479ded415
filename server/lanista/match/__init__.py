"""Playing one match: its connections, the fair clock, the runner and the record."""
