"""Starting, watching and ending bot processes, and building the programs that are handed in.

Nothing here knows about games, matches or the wire protocol. How the modules work together is in
docs/design.md, under "Bot processes".
"""
