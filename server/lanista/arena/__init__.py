"""The standing server: who may connect, who waits for whom, matches, the catalogue of records."""
