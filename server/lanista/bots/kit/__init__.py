"""The original kits' C++ API, which turns a student's unchanged player into a bot.

It is described in `rules/cpp-kit.md`. `include/GAME/` has the headers that a player of the game
includes: a folder for each game, since both kits use the same names. `include/kit/` has what the
two share, and `include/lanista.hpp` is the C++ client, which can be used by itself. `src/GAME.cc`
is the main program. It is compiled apart from the player's file, so that the file's macros and
`using namespace std` can't affect it. The module `build` compiles both; it needs nothing but the
standard library. No rule of a game is here.
"""
