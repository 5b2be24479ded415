// The settings of a match of Crematoria (rules/crematoria.md 1 and 9.2).
#ifndef Settings_hh
#define Settings_hh

#include "Structs.hh"

namespace lanista_kit {

/// The settings, by their names in the configuration file.
struct Rules {
  int nb_players, nb_rounds, nb_furyans, nb_pioneers, max_nb_necromongers, nb_hellhounds,
      nb_elevators, gem_value, turns_to_land, rows, cols;
};

/// Those of this match; the main program fills them in.
extern Rules rules;

}  // namespace lanista_kit

/// What stays as it is for the whole match.
class Settings {
 public:
  static string version() { return "Crematoria 1.2"; }

  int nb_players() const { return lanista_kit::rules.nb_players; }
  int nb_rounds() const { return lanista_kit::rules.nb_rounds; }
  int nb_furyans() const { return lanista_kit::rules.nb_furyans; }
  int nb_pioneers() const { return lanista_kit::rules.nb_pioneers; }
  int max_nb_necromongers() const { return lanista_kit::rules.max_nb_necromongers; }
  int nb_hellhounds() const { return lanista_kit::rules.nb_hellhounds; }
  int nb_elevators() const { return lanista_kit::rules.nb_elevators; }
  int gem_value() const { return lanista_kit::rules.gem_value; }
  int turns_to_land() const { return lanista_kit::rules.turns_to_land; }
  int rows() const { return lanista_kit::rules.rows; }
  int cols() const { return lanista_kit::rules.cols; }

  // The same in every match (rules/crematoria.md 1).
  int furyans_health() const { return 100; }
  int pioneers_health() const { return 50; }
  int necromongers_health() const { return 75; }
  int min_damage_furyans() const { return 25; }
  int max_damage_furyans() const { return 50; }
  int min_damage_necromongers() const { return 20; }
  int max_damage_necromongers() const { return 40; }
  /// A gem is born in one round of so many.
  int inv_prob_gem() const { return 4; }
  /// A necromonger appears in one round of so many.
  int inv_prob_necromonger() const { return 2; }
  int health_recovery() const { return 5; }

  /// Whether there is a player of that number.
  bool player_ok(int pl) const { return pl >= 0 && pl < nb_players(); }
  /// Whether the place lies on the board.
  bool pos_ok(int i, int j, int k) const {
    return i >= 0 && i < rows() && j >= 0 && j < cols() && k >= 0 && k <= 1;
  }
  bool pos_ok(Pos p) const { return pos_ok(p.i, p.j, p.k); }
};

#endif
