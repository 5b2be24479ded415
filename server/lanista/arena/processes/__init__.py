"""The processes that work for an arena: they play its matches, make its boards and speak TLS."""
