// A first bot for Hogwarts: wizards fetch books, attack and take cells; the ghost casts spells.

#include <algorithm>
#include <numeric>

#include "lanista.hpp"

using lanista::Cell;
using lanista::Hogwarts;

// Completes the groups (of each ingredient, -1: none yet): five of three each, with equal sums.
static bool solve(const std::vector<int>& ingredients, std::vector<int>& groups, int group = 0) {
    std::vector<std::size_t> free;
    for (std::size_t k = 0; k < groups.size(); ++k)
        if (groups[k] < 0) free.push_back(k);
    if (free.empty()) return true;
    // The largest leaves the fewest choices.
    std::stable_sort(free.begin(), free.end(), [&](std::size_t a, std::size_t b) {
        return ingredients[a] > ingredients[b];
    });
    const int sum = std::accumulate(ingredients.begin(), ingredients.end(), 0) / 5;
    for (std::size_t a = 1; a < free.size(); ++a)
        for (std::size_t b = a + 1; b < free.size(); ++b) {
            if (ingredients[free[0]] + ingredients[free[a]] + ingredients[free[b]] != sum) continue;
            groups[free[0]] = groups[free[a]] = groups[free[b]] = group;
            if (solve(ingredients, groups, group + 1)) return true;
            groups[free[0]] = groups[free[a]] = groups[free[b]] = -1;
        }
    return false;
}

// Where it is worth going: books, enemies not much stronger, cells of others.
static std::vector<Cell> goals(const Hogwarts& state) {
    std::vector<Cell> cells = state.books;
    const int strength = state.magic_strength(state.me());
    for (const auto& unit : state.units)
        if (unit.player != state.me() && !unit.ghost && !unit.converting() &&
            state.magic_strength(unit.player) <= 2 * strength)
            cells.push_back(unit.pos);
    for (Cell cell; cell.i < state.rows; ++cell.i)
        for (cell.j = 0; cell.j < state.cols; ++cell.j)
            if (state.passable(cell) && state.owner(cell) != state.me() && !state.unit_at(cell))
                cells.push_back(cell);
    cells.erase(std::remove_if(cells.begin(), cells.end(),
                               [&](Cell cell) { return state.reach_of_voldemort(cell); }),
                cells.end());
    return cells;
}

int main() try {
    const char* name = std::getenv("LANISTA_NAME");
    lanista::Arena arena({name ? name : "Starter", "hogwarts"});
    while (arena.next()) {
        const Hogwarts& state = arena.hogwarts();
        lanista::Moves orders;
        const auto& ghost = state.ghost(state.me());
        if (ghost.rounds_pending == 0 && state.round() < state.num_rounds - 50) {
            std::vector<int> groups(state.spell_ingredients.size(), -1);
            if (solve(state.spell_ingredients, groups)) {
                lanista::Move spell = {'s', ghost.id};
                spell.insert(spell.end(), groups.begin(), groups.end());
                orders.push_back(spell);
            }
        }
        const auto steps = state.distances(goals(state));
        for (const auto& wizard : state.wizards(state.me())) {
            const Hogwarts::Way* best = nullptr;
            const auto ways = state.neighbours(wizard.pos);
            for (const auto& way : ways)
                if (!state.reach_of_voldemort(way.to) && (!best || steps[way.to] < steps[best->to]))
                    best = &way;
            if (best) orders.push_back({'m', wizard.id, best->d});
        }
        arena.draw().cells({state.books.begin(), state.books.end()}, "yellow");  // on the page
        arena.send(orders);
    }
    if (arena.result()) std::puts(lanista::to_string(*arena.result()).c_str());
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
