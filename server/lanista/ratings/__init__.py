"""From results to tables: ratings, intervals, head-to-head, and their text forms."""
