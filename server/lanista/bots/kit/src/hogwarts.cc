// The main program of a player of Hogwarts: what the arena tells as the kit's state, the kit's orders
// as the answer's line (PROTOCOL.md 5).
// Before `using namespace std`, which is in the next.
#include "../include/lanista.hpp"

#include "Player.hh"

#include "host.hh"

namespace lanista_kit {

Rules rules = {};
Snapshot now;

namespace {

constexpr int ingredients = 15;
std::vector<Cell> cells;
std::vector<Unit> units;
std::vector<int> wizards[clans];
std::vector<int> spell;

void take_rules(const lanista::Hogwarts& state) {
  rules.NUM_PLAYERS = setting(state, "NUM_PLAYERS");
  rules.NUM_ROUNDS = setting(state, "NUM_ROUNDS");
  rules.BOARD_ROWS = state.rows;
  rules.BOARD_COLS = state.cols;
  rules.NUM_INI_WIZARDS_PER_CLAN = setting(state, "NUM_INI_WIZARDS_PER_CLAN");
  rules.NUM_INI_BOOKS = setting(state, "NUM_INI_BOOKS");
  rules.CLAN_INI_MAGIC_STRENGTH = setting(state, "CLAN_INI_MAGIC_STRENGTH");
  rules.POINTS_FOR_CONVERTING_WIZARD = setting(state, "POINTS_FOR_CONVERTING_WIZARD");
  rules.POINTS_PER_OWNED_CELL = setting(state, "POINTS_PER_OWNED_CELL");
  rules.BOOK_MAGIC_STRENGTH = setting(state, "BOOK_MAGIC_STRENGTH");
  rules.ROUNDS_FOR_CONVERTING = setting(state, "ROUNDS_FOR_CONVERTING");
  rules.ROUNDS_ATTACK_RESTING_GHOST = setting(state, "ROUNDS_ATTACK_RESTING_GHOST");
  rules.ROUNDS_SPELL_RESTING_GHOST = setting(state, "ROUNDS_SPELL_RESTING_GHOST");
  rules.ROUNDS_NO_ATTACK_GHOST = setting(state, "ROUNDS_NO_ATTACK_GHOST");
}

void take_cells(const lanista::Hogwarts& state) {
  cells.clear();
  for (int i = 0; i < state.rows; ++i)
    for (int j = 0; j < state.cols; ++j) {
      const lanista::Cell place{i, j};
      const lanista::Hogwarts::Unit* unit = state.unit_at(place);
      cells.emplace_back(state.passable(place) ? Corridor : Wall, state.owner(place),
                         unit != nullptr ? unit->id : -1, state.book(place));
    }
  now.cells = cells.data();
}

void take_units(const lanista::Hogwarts& state) {
  units.clear();
  for (std::vector<int>& ids : wizards) ids.clear();
  for (const lanista::Hogwarts::Unit& unit : state.units) {
    // The ids are 0, 1, 2 and so on; room for any other might be all memory.
    if (unit.id != static_cast<int>(units.size()) || unit.player >= clans) continue;
    units.emplace_back(unit.ghost ? Ghost : Wizard, unit.id, unit.player,
                       Pos(unit.pos.i, unit.pos.j), unit.rounds_pending, unit.next_player);
    if (unit.ghost) {
      now.ghosts[unit.player] = unit.id;
    } else {
      wizards[unit.player].push_back(unit.id);
    }
  }
  now.units = units.data();
  now.nb_units = static_cast<int>(units.size());
  for (int clan = 0; clan < clans; ++clan) {
    now.wizards[clan] = wizards[clan].data();
    now.nb_wizards[clan] = static_cast<int>(wizards[clan].size());
  }
}

void take(const lanista::Arena& arena) {
  const lanista::Hogwarts& state = arena.hogwarts();
  if (cells.empty()) take_rules(state);
  now.round = state.round();
  take_cells(state);
  take_units(state);
  now.voldemort = Pos(state.voldemort.i, state.voldemort.j);
  copy(state.strength, now.strength);
  for (int clan = 0; clan < clans; ++clan) now.strength[clan] /= 1 + now.nb_wizards[clan];
  copy(state.score, now.scores);
  copy(state.status, now.status);
  spell = state.spell_ingredients;
  now.ingredients = spell.data();
  now.nb_ingredients = static_cast<int>(spell.size());
}

}  // namespace

void order_move(int id, int direction) { orders.add('m', {id, direction}); }

void order_spell(int id, const int* groups, int count) {
  int sent[ingredients];
  for (int at = 0; at < ingredients; ++at) {
    // What hasn't 15 entries is no solution, and neither is one with a group of -1. Numbers far
    // from any group are shortened, so that 1001 spells fit into a line (PROTOCOL.md 1).
    sent[at] = count == ingredients ? std::clamp(groups[at], -9, 99) : -1;
  }
  orders.add('s', {id}, sent, ingredients);
}

}  // namespace lanista_kit

int main() { return lanista_kit::host("hogwarts", lanista_kit::take); }
