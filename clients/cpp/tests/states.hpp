// The states of the three games: facts in, members out (PROTOCOL.md 5).

#ifndef STATES_HPP
#define STATES_HPP

#include <algorithm>

#include "support.hpp"

using lanista::AngryMob;
using lanista::Cell;
using lanista::Crematoria;
using lanista::Hogwarts;
using lanista::Pos;

// A state at the first `go` of what the arena says.
template <typename Game>
Game state_of(const std::string& said) {
    Wire wire({welcome + said});
    Wired arena(wire);
    return dynamic_cast<Game&>(*arena.next());  // a copy stays when the arena goes
}

template <typename Way>
std::string show_ways(const std::vector<Way>& ways) {
    std::string text;
    for (const auto& [d, to] : ways) text += show(int(d)) + show(to) + " ";
    return text;
}

template <typename Unit>
std::vector<int> ids(const std::vector<Unit>& units) {
    std::vector<int> found;
    for (const Unit& unit : units) found.push_back(unit.id);
    return found;
}

using Ints = std::vector<int>;
using Cells = std::vector<Cell>;
using Positions = std::vector<Pos>;

inline void test_angrymob() {
    Wire wire({whole_match});
    Wired arena(wire);
    arena.next();
    const AngryMob& state = arena.angrymob();
    SAME("01JDEXAMPLE", state.match);
    SAME(std::vector<std::string>{"Ann Lee", "B\xc3\xb6"
                                             "b"},
         state.players);
    SAME(20.0, state.clock.first);
    SAME(0.2, state.clock.other);
    SAME(52011, state.seed);
    SAME((Ints{6, 7}), (Ints{state.rows, state.cols}));
    SAME((Cells{{2, 1}, {3, 5}}), state.bases);
    SAME((Cells{{2, 1}, {3, 5}}), (Cells{state.base, state.enemy_base}));
    SAME(std::size_t(12), state.neutral.size());  // counted on the page
    SAME((Ints{3, 3, 1}),
         (Ints{state.neutral.at({1, 4}), state.neutral.at({4, 2}), state.neutral.at({1, 1})}));
    SAME((lanista::Words{"0", ".", "1", ".", ".", "#", "#", "2"}), state.start_facts["row"][0]);
    SAME((Ints{0, 0}), (Ints{int(state.moved[0].size()), int(state.moved[1].size())}));
    const AngryMob before = state;  // a copy stays as it is
    arena.send();
    arena.next();
    SAME(1, state.turn);
    SAME((std::map<Cell, int>{{{1, 1}, 2}}), state.mine);
    SAME((std::map<Cell, int>{{{4, 5}, 2}}), state.theirs);
    SAME((Ints{2, 2}), state.totals);
    const AngryMob::Submove& sent = state.moved[1].at(0);
    SAME((Ints{3, 5, 1, 3}), (Ints{sent.i, sent.j, sent.k, sent.d}));
    SAME(std::size_t(10), state.neutral.size());  // 12 less the two that were recruited
    SAME((Ints{0, 12}), (Ints{before.turn, int(before.neutral.size())}));

    const auto other = state_of<AngryMob>(replaced(start, "seat 0", "seat 1") + turn_0);
    SAME((Cells{{3, 5}, {2, 1}}), (Cells{other.base, other.enemy_base}));
    SAME((std::map<Cell, int>{{{3, 5}, 1}}), other.mine);
    SAME((std::map<Cell, int>{{{2, 1}, 1}}), other.theirs);
    const auto changed = state_of<AngryMob>(start + "turn 0\nneutral 1 1 7\nneutral 0 0 2\ngo\n");
    SAME((Ints{7, 2}), (Ints{changed.neutral.at({1, 1}), changed.neutral.at({0, 0})}));
}

// Outside the map nothing is passable; a base is; directions are those of the rules.
inline void test_ways_in_angrymob() {
    const auto state = state_of<AngryMob>(start + turn_0);
    SAME(true, state.passable({2, 1}));
    SAME(true, state.passable({0, 1}));
    for (const Cell cell : Cells{{0, 4}, {-1, 0}, {0, -1}, {6, 0}, {0, 7}})
        SAME(false, state.passable(cell));
    SAME("0(2, 2) 1(1, 1) 2(2, 0) 3(3, 1) ", show_ways(state.neighbours({2, 1})));
    SAME("0(0, 1) ", show_ways(state.neighbours({0, 0})));
    SAME(Cell{1, 0}, AngryMob::step({0, 0}, AngryMob::down));
}

// Around impassable cells; through `blocked` never; `within` ends the search.
inline void test_distances_in_angrymob() {
    const auto state = state_of<AngryMob>(start + turn_0);
    const auto steps = state.distances({{0, 1}});
    SAME((Ints{32, 2, 10}),
         (Ints{static_cast<int>(steps.places().size()), steps[{2, 1}], steps[{5, 6}]}));
    SAME(4, state.distances({{0, 1}}, {{{1, 1}}, lanista::no_way})[{2, 1}]);
    SAME((Cells{{0, 1}, {0, 2}, {0, 0}, {1, 1}}), state.distances({{0, 1}}, {{}, 1}).places());
}

// PROTOCOL.md 3: the order of lines means nothing; unknown ones are passed over.
inline void test_order_and_unknown_keywords() {
    const auto crossed = [](const std::string& first, const std::string& turn) {
        auto facts = lines_of(first), positions = lines_of(turn);
        std::reverse(facts.begin() + 1, facts.end());
        std::reverse(positions.begin() + 1, positions.end() - 1);
        std::string said;
        for (const std::string& line : facts) said += line + "weather 1 rain\n";
        for (const std::string& line : positions) said += "weather 2\n" + line;
        return said;
    };
    const auto mob = [](const AngryMob& state) {
        return show(state.mine) + show(state.theirs) + show(state.neutral) + show(state.totals) +
               show(state.bases) + show(state.players);
    };
    SAME(mob(state_of<AngryMob>(start + turn_0)), mob(state_of<AngryMob>(crossed(start, turn_0))));
    const auto school = [](const Hogwarts& state) {
        return show(ids(state.units)) + show(state.own) + show(state.books) +
               show(state.players) + show(state.unit_at({2, 1})->id);
    };
    SAME(school(state_of<Hogwarts>(hogwarts_start + hogwarts_turn)),
         school(state_of<Hogwarts>(crossed(hogwarts_start, hogwarts_turn))));
    const auto planet = [](const Crematoria& state) {
        return show(ids(state.units)) + show(state.own) + show(state.gems) +
               show(state.elevators) + show(state.unit_at({2, 7, 0})->id);
    };
    const auto again = state_of<Crematoria>(crossed(crematoria_start, crematoria_turn));
    SAME(planet(state_of<Crematoria>(crematoria_start + crematoria_turn)), planet(again));
    SAME((std::vector<lanista::Words>(19, {"2"})),
         std::vector<lanista::Words>(again.facts["weather"].begin(),
                                     again.facts["weather"].begin() + 19));
}

inline void test_a_turn_without_its_facts_is_an_error() {
    const auto without = [](const std::string& said, const std::string& keyword) {
        std::string kept;
        for (const std::string& line : lines_of(said))
            if (line.compare(0, keyword.size(), keyword) != 0) kept += line;
        return caught<ArenaError>([&] { state_of<lanista::State>(kept); });
    };
    const std::string why = "unreadable: the client can't use ";
    for (const char* keyword : {"own 2", "unit", "score", "status"}) {
        SAME(why + "'go'", without(hogwarts_start + hogwarts_turn, keyword));
        SAME(why + "'go'", without(crematoria_start + crematoria_turn, keyword));
    }
    for (const char* keyword : {"size", "row 2", "seat", "clock", "seed", "game"}) {
        SAME(why + "'turn 7'", without(hogwarts_start + hogwarts_turn, keyword));
        SAME(why + "'turn 1'", without(crematoria_start + crematoria_turn, keyword));
        SAME(why + "'turn 0'", without(start + turn_0, keyword));
    }
    SAME(why + "'turn 0'", without(start + turn_0, "base 1"));
    for (const char* size : {"size 6 99999999", "size 0 7", "size -6 -7", "size 7 6"})
        SAME(why + "'turn 0'", caught<ArenaError>([&] {
                 state_of<AngryMob>(replaced(start, "size 6 7", size) + turn_0);
             }));
}

// rules/hogwarts.md 2: the two numbers mean one thing for wizards, another for ghosts.
inline void test_hogwarts() {
    const auto school = state_of<Hogwarts>(hogwarts_start + hogwarts_turn);
    SAME((Ints{6, 8, 200, 7, 1}),
         (Ints{school.rows, school.cols, school.num_rounds, school.round(), school.me()}));
    SAME((Cells{{0, 3}, {5, 0}}), school.books);
    SAME((Cell{3, 7}), school.voldemort);
    SAME((Ints{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}), school.spell_ingredients);
    SAME((Ints{1000, 1000, 1050, 0}), school.strength);
    SAME((Ints{101, 3, -1, 2}), school.score);
    SAME((std::vector<double>{0, 0.25, -1, 0.0125}), school.status);

    SAME((Ints{0, 1, 2, 3, 4, 5, 6}), ids(school.units));
    SAME((Ints{5, 6}), ids(school.wizards(1)));
    SAME(Ints{}, ids(school.wizards(2)));
    const Hogwarts::Unit &ghost = school.ghost(1), &wizard = *school.unit(6);
    SAME((Ints{1, 0, 53, 5}),
         (Ints{ghost.ghost, ghost.converting(), ghost.rounds_pending, ghost.next_player}));
    SAME((Ints{0, 1, 3, 2}),
         (Ints{wizard.ghost, wizard.converting(), wizard.rounds_pending, wizard.next_player}));
    SAME((Cell{2, 1}), wizard.pos);
    SAME(1, wizard.player);
    SAME(true, &wizard == school.unit_at({2, 1}));
    for (const Cell cell : Cells{{2, 2}, {-1, 0}, {0, 8}})
        SAME(true, school.unit_at(cell) == nullptr);
    for (const int id : {-1, 7, INT_MAX}) SAME(true, school.unit(id) == nullptr);
    // The ghost counts. Clan 1: 1000 for three; clan 2: a ghost alone.
    for (const int clan : {0, 1, 2, 3})
        SAME((Ints{1000, 333, 1050, 0})[std::size_t(clan)], school.magic_strength(clan));
    SAME("no clan 4", caught<std::out_of_range>([&] { (void)school.magic_strength(4); }));
    SAME("no clan -1", caught<std::out_of_range>([&] { (void)school.ghost(-1); }));
    SAME("no clan 6", caught<std::out_of_range>([&] { (void)school.ghost(6); }));  // a wizard's id

    SAME((Ints{1, -1, -1, 2, 3, -1}),
         (Ints{school.owner({0, 0}), school.owner({0, 2}), school.owner({1, 1}),
               school.owner({3, 0}), school.owner({5, 5}), school.owner({6, 0})}));
    SAME("11......", school.own[0]);
    SAME((Ints{1, 0, 0, 0}), (Ints{school.passable({0, 0}), school.passable({1, 1}),
                                   school.passable({-1, 0}), school.passable({0, 8})}));
    SAME((Ints{1, 1, 0, 0}), (Ints{school.pos_ok({5, 7}), school.pos_ok({1, 1}),
                                   school.pos_ok({6, 0}), school.pos_ok({0, -1})}));
    SAME((Ints{1, 0, 0}),
         (Ints{school.book({0, 3}), school.book({0, 2}), school.book({0, -1})}));
}

// Also what was looked up by cell.
inline void test_the_next_turn_replaces_what_the_last_one_said() {
    std::string turn = replaced(hogwarts_turn, "turn 7", "turn 8");
    turn = replaced(replaced(turn, "book 0 3\n", ""), "11......", "111.....");
    turn = replaced(turn, "unit 5 w 1 0 1", "unit 5 w 1 0 2");
    Wire wire({welcome + hogwarts_start + hogwarts_turn + turn});
    Wired arena(wire);
    arena.next();
    const Hogwarts& state = arena.hogwarts();
    SAME((Ints{5, 1, -1}),
         (Ints{state.unit_at({0, 1})->id, state.book({0, 3}), state.owner({0, 2})}));
    arena.send();
    SAME(true, arena.next() == &state);
    SAME(true, state.unit_at({0, 1}) == nullptr);
    SAME((Ints{8, 5, 0, 1}), (Ints{state.round(), state.unit_at({0, 2})->id, state.book({0, 3}),
                                   state.owner({0, 2})}));
    SAME((Cells{{5, 0}}), state.books);
}

// rules/hogwarts.md 6 and 10: now in his 3x3, after his step in that of a cell beside him.
inline void test_where_voldemort_kills() {
    const auto school = state_of<Hogwarts>(hogwarts_start + hogwarts_turn);
    for (Cell cell; cell.i < 6; ++cell.i)
        for (cell.j = 0; cell.j < 8; ++cell.j) {
            SAME(cell.i >= 2 && cell.i <= 4 && cell.j >= 6, school.deadly(cell));
            bool reach = false;
            for (const auto& [di, dj] : Cells{{1, 0}, {0, 1}, {-1, 0}, {0, -1}})
                reach |= std::abs(cell.i - 3 - di) <= 1 && std::abs(cell.j - 7 - dj) <= 1;
            SAME(reach, school.reach_of_voldemort(cell));
        }
}

// rules/hogwarts.md 2: wizards go straight; both go around walls.
inline void test_ways_in_hogwarts() {
    const auto school = state_of<Hogwarts>(hogwarts_start + hogwarts_turn);
    SAME("0(1, 0) 2(0, 1) ", show_ways(school.neighbours({0, 0})));
    SAME("0(3, 0) 1(3, 1) 2(2, 1) 4(1, 0) ", show_ways(school.neighbours({2, 0}, true)));
    SAME((Cell{1, 1}), Hogwarts::step({0, 0}, Hogwarts::dr));
    SAME((Cell{1, -1}), Hogwarts::step({0, 0}, Hogwarts::ld));

    const auto steps = school.distances({{0, 1}});
    SAME((Ints{0, 1, 3, 4}),
         (Ints{steps[{0, 1}], steps[{0, 0}], steps[{2, 0}], steps[{2, 1}]}));
    SAME(false, steps.has({1, 1}));
    SAME((Ints{lanista::no_way, lanista::no_way}), (Ints{steps[{1, 1}], steps[{-1, 0}]}));
    SAME(std::size_t(48 - 3), steps.places().size());
    Hogwarts::Search diagonal, around, near;
    diagonal.diagonal = true;
    around.blocked = {{1, 0}, {-1, 0}};
    near.within = 1;
    SAME(2, (school.distances({{0, 1}}, diagonal)[{2, 1}]));
    SAME(5, (school.distances({{0, 1}}, around)[{2, 2}]));
    SAME((Cells{{0, 1}, {0, 2}, {0, 0}}), school.distances({{0, 1}, {9, 9}}, near).places());
    const auto two = school.distances({{0, 0}, {5, 7}});
    SAME((Ints{3, 3}), (Ints{two[{0, 3}], two[{5, 4}]}));
}

inline void test_crematoria() {
    const auto planet = state_of<Crematoria>(crematoria_start + crematoria_turn);
    SAME((Ints{5, 8, 120, 1, 1}),
         (Ints{planet.rows, planet.cols, planet.nb_rounds, planet.round(), planet.me()}));
    SAME((Cells{{2, 1}, {2, 6}}), planet.elevators);
    SAME((Positions{{0, 5, 1}, {4, 2, 1}}), planet.gems);
    SAME(6, planet.sun);
    SAME((Ints{0, 3, 1, 2}), planet.nb_cells);
    SAME((Ints{0, 1, 0, 2}), planet.nb_gems);
    SAME((Ints{0, 33, 1, 62}), planet.points);
    SAME((Ints{0, 33, 1, 62}), planet.score());
    SAME((std::vector<double>{0, 0.25, -1, 0.0125}), planet.status);

    SAME((Ints{0, 1, 2, 3, 4, 5, 6}), ids(planet.units));
    SAME(Ints{1}, ids(planet.pioneers(1)));
    SAME(Ints{0}, ids(planet.furyans(1)));
    SAME((Ints{4, 5}), ids(planet.necromongers()));
    SAME(Ints{6}, ids(planet.hellhounds()));
    const Crematoria::Unit& pioneer = *planet.unit(2);
    SAME(true, pioneer.type == Crematoria::pioneer);
    SAME((Ints{3, 15, -1}), (Ints{pioneer.player, pioneer.health, pioneer.turns}));
    SAME((Pos{2, 7, 0}), pioneer.pos);
    SAME(true, &pioneer == planet.unit_at({2, 7, 0}));
    SAME(true, planet.unit_at({2, 7, 1}) == nullptr);
    SAME(true, planet.unit_at({2, 8, 0}) == nullptr);
    SAME(true, planet.unit(7) == nullptr);
    // rules/crematoria.md 2.3: a descending necromonger is not on its cell.
    SAME(true, planet.unit_at({3, 4, 1}) == nullptr);
    SAME(4, planet.unit_at({0, 3, 1})->id);

    SAME((Ints{1, -1, -1, -1, 3, 2, -1}),
         (Ints{planet.owner({1, 0}), planet.owner({1, 1}), planet.owner({0, 0}),
               planet.owner({2, 1}), planet.owner({2, 7}), planet.owner({3, 5}),
               planet.owner({5, 0})}));
    SAME("1ECRRCE3", planet.own[2]);
    SAME((Ints{1, 0, 0, 0}), (Ints{planet.cave({1, 0}), planet.cave({2, 1}), planet.cave({0, 0}),
                                   planet.cave({1, 8})}));
    SAME((Ints{1, 0, 0}),
         (Ints{planet.elevator({2, 6}), planet.elevator({6, 2}), planet.elevator({2, 2})}));
    SAME((Ints{1, 0, 1, 0, 0}),
         (Ints{planet.passable({2, 1, 0}), planet.passable({0, 0, 0}), planet.passable({0, 0, 1}),
               planet.passable({5, 0, 1}), planet.passable({2, 2, 2})}));
    SAME((Ints{1, 0}), (Ints{planet.pos_ok({4, 7, 1}), planet.pos_ok({0, 0, -1})}));
}

// rules/crematoria.md 2.5 with 8 columns: at 2r+4 … 2r+7 is day, two more at each round's end.
inline void test_night_and_day() {
    const auto planet = state_of<Crematoria>(crematoria_start + crematoria_turn);
    Ints day, night;
    for (int j = 0; j < 8; ++j) {
        day.push_back(planet.daylight({0, j, 1}));
        night.push_back(planet.rounds_of_night({0, j, 1}));
        SAME(false, planet.daylight({1, j, 0}));  // underground it is never day
    }
    SAME((Ints{1, 1, 0, 0, 0, 0, 1, 1}), day);
    SAME((Ints{0, 0, 0, 0, 1, 1, 0, 0}), night);
}

// Around the edge, not past the top; up and down on elevators alone.
inline void test_ways_in_crematoria() {
    const auto planet = state_of<Crematoria>(crematoria_start + crematoria_turn);
    SAME((Ints{1, 4, 4, 0}),
         (Ints{planet.distance({1, 0, 0}, {1, 7, 0}), planet.distance({1, 0, 0}, {1, 4, 0}),
               planet.distance({1, 0, 0}, {5, 0, 0}), planet.distance({1, 0, 0}, {1, 0, 0})}));
    SAME("0(2, 0)/0 1(2, 1)/0 2(1, 1)/0 6(1, 7)/0 7(2, 7)/0 ",
         show_ways(planet.neighbours({1, 0, 0})));
    const auto lift = planet.neighbours({2, 1, 0}), above = planet.neighbours({2, 1, 1});
    SAME(true, lift.back().d == Crematoria::up && lift.back().to == Pos{2, 1, 1});
    SAME(true, above.back().d == Crematoria::down && above.back().to == Pos{2, 1, 0});
    SAME("0(1, 0)/1 1(1, 1)/1 2(0, 1)/1 6(0, 7)/1 7(1, 7)/1 ",
         show_ways(planet.neighbours({0, 0, 1})));
    SAME((Pos{0, 0, 0}), planet.step({1, 7, 0}, Crematoria::rt));

    const auto steps = planet.distances({{1, 2, 0}});
    SAME((Ints{1, 2, 2}), (Ints{steps[{2, 1, 0}], steps[{2, 1, 1}], steps[{3, 1, 0}]}));
    SAME(2 + 3, (steps[{2, 4, 1}]));
    Crematoria::Search underground, around, near;
    underground.levels = around.levels = {0};
    around.blocked = {{3, 4, 0}, {3, 5, 0}};
    near.within = 1;
    for (const Pos pos : planet.distances({{1, 2, 0}}, underground).places()) SAME(0, pos.k);
    SAME(std::size_t(19 - 2), planet.distances({{1, 2, 0}}, around).places().size());
    SAME((Positions{{1, 2, 0}, {2, 2, 0}, {1, 1, 0}, {2, 1, 0}}),
         planet.distances({{1, 2, 0}}, near).places());
}

inline void test_states() {
    const std::pair<const char*, void (*)()> tests[] = {
        {"angrymob", test_angrymob},
        {"ways in angrymob", test_ways_in_angrymob},
        {"distances in angrymob", test_distances_in_angrymob},
        {"order and unknown keywords", test_order_and_unknown_keywords},
        {"a turn without its facts", test_a_turn_without_its_facts_is_an_error},
        {"hogwarts", test_hogwarts},
        {"the next turn", test_the_next_turn_replaces_what_the_last_one_said},
        {"where Voldemort kills", test_where_voldemort_kills},
        {"ways in hogwarts", test_ways_in_hogwarts},
        {"crematoria", test_crematoria},
        {"night and day", test_night_and_day},
        {"ways in crematoria", test_ways_in_crematoria},
    };
    for (const auto& [name, test] : tests) {
        doing = name;
        test();
    }
}

#endif
