"""The original kits' C++ API: a student's player, unchanged, becomes a bot (`rules/cpp-kit.md`).

`include/GAME/` has the headers that such a file includes, a folder a game, for both kits use the
same names; `include/kit/` what the two share; `include/lanista.hpp` is the C++ client, good by
itself. `src/GAME.cc` is the main program, compiled apart from the player's file so that the file's
macros and `using namespace std` can't reach it. `build` compiles both. No rule of a game is here,
and nothing but the standard library is needed to build.
"""
