// All that a player can know.
#ifndef Info_hh
#define Info_hh

#include "Settings.hh"
#include "State.hh"

/// Settings and state.
class Info : public Settings, public State {};

#endif
