"""From results to tables: ratings, intervals, head-to-head, and their text forms.

Nothing here plays or stores matches; results are passed in as arguments.
"""
