// How the main program, which is compiled by itself, finds the one player of a file.
#ifndef LANISTA_KIT_REGISTRY_HH
#define LANISTA_KIT_REGISTRY_HH

class Player;

namespace lanista_kit {

/// The name that the file gives its player; defined by `RegisterPlayer`.
extern const char* const player_name;

/// A new player; defined by `RegisterPlayer`.
Player* make_player();

}  // namespace lanista_kit

// The argument is a macro itself, so it is put in before the second macro makes a text of it.
#define RegisterPlayer(PLAYER) LANISTA_KIT_REGISTER(PLAYER)
#define LANISTA_KIT_REGISTER(PLAYER) \
  Player* lanista_kit::make_player() { return PLAYER::factory(); } \
  const char* const lanista_kit::player_name = #PLAYER

#endif
