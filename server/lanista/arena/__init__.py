"""The daemon of `lanista serve`: admission, the lobby, matches, and the catalogue of records."""
