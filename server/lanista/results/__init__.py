"""The results of matches as data, and the paths at which an arena keeps them."""
