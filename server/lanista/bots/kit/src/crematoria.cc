// The main program of a player of Crematoria: what the arena tells as the kit's state, the kit's
// orders as the answer's line (PROTOCOL.md 5).
// Before `using namespace std`, which is in the next.
#include "../include/lanista.hpp"

#include "Player.hh"

#include "host.hh"

namespace lanista_kit {

Rules rules = {};
Snapshot now;

namespace {

constexpr int kinds = UnitTypeSize;
std::vector<Cell> cells;
std::vector<Unit> units;
std::vector<int> ids[kinds][players + 1];  // the last: nobody's

void take_rules(const lanista::Crematoria& state) {
  rules.nb_players = setting(state, "nb_players");
  rules.nb_rounds = setting(state, "nb_rounds");
  rules.nb_furyans = setting(state, "nb_furyans");
  rules.nb_pioneers = setting(state, "nb_pioneers");
  rules.max_nb_necromongers = setting(state, "max_nb_necromongers");
  rules.nb_hellhounds = setting(state, "nb_hellhounds");
  rules.nb_elevators = setting(state, "nb_elevators");
  rules.gem_value = setting(state, "gem_value");
  rules.turns_to_land = setting(state, "turns_to_land");
  rules.rows = state.rows;
  rules.cols = state.cols;
  const long long owned = 1LL * rules.nb_players * (rules.nb_furyans + rules.nb_pioneers);
  const long long all = owned + rules.max_nb_necromongers + rules.nb_hellhounds;
  if (all > 2LL * rules.rows * rules.cols) throw std::out_of_range("more units than cells");
  now.nb_units = static_cast<int>(all);
}

CellType type_of(const lanista::Crematoria& state, lanista::Pos place) {
  if (state.elevator({place.i, place.j})) return Elevator;
  if (place.k == 1) return Outside;
  return state.passable(place) ? Cave : Rock;
}

void take_cells(const lanista::Crematoria& state) {
  cells.clear();
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < state.rows; ++i)
      for (int j = 0; j < state.cols; ++j) {
        const lanista::Pos place{i, j, k};
        const lanista::Crematoria::Unit* unit = state.unit_at(place);
        cells.emplace_back(type_of(state, place), k == 0 ? state.owner({i, j}) : -1,
                           unit != nullptr ? unit->id : -1, false);
      }
  now.cells = cells.data();
  for (const lanista::Pos& gem : state.gems)
    if (state.pos_ok(gem))
      now.cells[(gem.k * state.rows + gem.i) * state.cols + gem.j].gem = true;
}

UnitType kind_of(lanista::Crematoria::Type type) { return char2ut(static_cast<char>(type)); }

void take_units(const lanista::Crematoria& state) {
  units.assign(static_cast<std::size_t>(now.nb_units), Unit());
  for (const lanista::Crematoria::Unit& unit : state.units)
    if (unit.id >= 0 && unit.id < now.nb_units)
      units[static_cast<std::size_t>(unit.id)] =
          Unit(kind_of(unit.type), unit.id, unit.player, unit.health, unit.turns,
               Pos(unit.pos.i, unit.pos.j, unit.pos.k));
  now.units = units.data();
  sort_units();
}

void take(const lanista::Arena& arena) {
  const lanista::Crematoria& state = arena.crematoria();
  if (cells.empty()) take_rules(state);
  now.round = state.round();
  take_cells(state);
  take_units(state);
  copy(state.nb_cells, now.cell_counts);
  copy(state.nb_gems, now.gem_counts);
  copy(state.status, now.status);
}

Ids told(const std::vector<int>& sorted) {
  return {sorted.data(), static_cast<int>(sorted.size())};
}

}  // namespace

vector<int> Ids::copy() const { return vector<int>(first, first + count); }

void sort_units() {
  for (auto& by_player : ids)
    for (std::vector<int>& sorted : by_player) sorted.clear();
  for (const Unit& unit : units) {
    const int owner = unit.player >= 0 && unit.player < players ? unit.player : players;
    if (unit.id >= 0 && unit.type < kinds) ids[unit.type][owner].push_back(unit.id);
  }
  for (int player = 0; player < players; ++player) {
    now.pioneers[player] = told(ids[Pioneer][player]);
    now.furyans[player] = told(ids[Furyan][player]);
  }
  now.necromongers = told(ids[Necromonger][players]);
  now.hellhounds = told(ids[Hellhound][players]);
}

void order(int id, int direction) { orders.add(0, {id, direction}); }

}  // namespace lanista_kit

int main() { return lanista_kit::host("crematoria", lanista_kit::take); }
