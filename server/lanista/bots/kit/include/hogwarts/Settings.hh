// The settings of a match of Hogwarts (rules/hogwarts.md 1 and 16).
#ifndef Settings_hh
#define Settings_hh

#include "Structs.hh"

namespace lanista_kit {

/// The settings, by their names in the configuration file.
struct Rules {
  int NUM_PLAYERS, NUM_ROUNDS, BOARD_ROWS, BOARD_COLS, NUM_INI_WIZARDS_PER_CLAN, NUM_INI_BOOKS,
      CLAN_INI_MAGIC_STRENGTH, POINTS_FOR_CONVERTING_WIZARD, POINTS_PER_OWNED_CELL,
      BOOK_MAGIC_STRENGTH, ROUNDS_FOR_CONVERTING, ROUNDS_ATTACK_RESTING_GHOST,
      ROUNDS_SPELL_RESTING_GHOST, ROUNDS_NO_ATTACK_GHOST;
};

/// Those of this match; the main program fills them in.
extern Rules rules;

}  // namespace lanista_kit

/// What stays as it is for the whole match.
class Settings {
 public:
  static string version() { return "HarryPotter 1.0"; }

  int num_players() const { return lanista_kit::rules.NUM_PLAYERS; }
  int num_rounds() const { return lanista_kit::rules.NUM_ROUNDS; }
  int board_rows() const { return lanista_kit::rules.BOARD_ROWS; }
  int board_cols() const { return lanista_kit::rules.BOARD_COLS; }
  int num_ini_wizards_per_clan() const { return lanista_kit::rules.NUM_INI_WIZARDS_PER_CLAN; }
  int num_ini_books() const { return lanista_kit::rules.NUM_INI_BOOKS; }
  int clan_ini_magic_strength() const { return lanista_kit::rules.CLAN_INI_MAGIC_STRENGTH; }
  int points_for_converting_wizard() const {
    return lanista_kit::rules.POINTS_FOR_CONVERTING_WIZARD;
  }
  int points_per_owned_cell() const { return lanista_kit::rules.POINTS_PER_OWNED_CELL; }
  int book_magic_strength() const { return lanista_kit::rules.BOOK_MAGIC_STRENGTH; }
  int rounds_for_converting_wizard() const { return lanista_kit::rules.ROUNDS_FOR_CONVERTING; }
  int rounds_attack_resting_ghost() const {
    return lanista_kit::rules.ROUNDS_ATTACK_RESTING_GHOST;
  }
  int rounds_spell_resting_ghost() const { return lanista_kit::rules.ROUNDS_SPELL_RESTING_GHOST; }
  int rounds_no_attack_ghost() const { return lanista_kit::rules.ROUNDS_NO_ATTACK_GHOST; }

  /// Whether there is a player of that number.
  bool player_ok(int pl) const { return pl >= 0 && pl < num_players(); }
  /// Whether the place lies on the board.
  bool pos_ok(int i, int j) const {
    return i >= 0 && i < board_rows() && j >= 0 && j < board_cols();
  }
  bool pos_ok(Pos p) const { return pos_ok(p.i, p.j); }
};

#endif
