"""The daemon of `lanista serve`: admission, the lobby, matches, and the list of matches."""
