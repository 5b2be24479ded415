"""File formats of the original games: configurations, match files, submitted orders.

Files are read strictly and written byte for byte. The modules here use only the public interface
of the rulesets, and no ruleset imports one of them. No sockets and no paths: text in, text out.
"""
