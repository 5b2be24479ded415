// `RegisterPlayer(NAME);`, the last line of a player's file.
#ifndef Registry_hh
#define Registry_hh

#include "../kit/registry.hh"

#endif
