// A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the enemy base.

#include "lanista.hpp"

using lanista::AngryMob;
using lanista::Cell;

// Of each cell, how many steps it is from the nearest goal.
static std::map<Cell, int> distances(const AngryMob& state, std::vector<Cell> queue) {
    std::map<Cell, int> steps;
    for (const Cell cell : queue) steps[cell] = 0;
    for (std::size_t k = 0; k < queue.size(); ++k) {
        const Cell cell = queue[k];
        for (const auto& way : state.neighbours(cell))
            if (steps.emplace(way.to, steps[cell] + 1).second) queue.push_back(way.to);
    }
    return steps;
}

int main() try {
    const char* name = std::getenv("LANISTA_NAME");
    lanista::Arena arena({name ? name : "Starter", "angrymob"});
    while (arena.next()) {
        const AngryMob& state = arena.angrymob();
        std::vector<Cell> goals = {state.enemy_base};
        if (state.totals.at(static_cast<std::size_t>(state.seat)) <= 8)  // recruiting
            for (const auto& [cell, units] : state.neutral) goals.push_back(cell);
        std::map<Cell, int> steps = distances(state, goals);
        lanista::Moves moves;
        for (const auto& [cell, units] : state.mine) {
            AngryMob::Way best = state.neighbours(cell).at(0);
            for (const auto& way : state.neighbours(cell))
                if (steps[way.to] < steps[best.to]) best = way;
            moves.push_back({cell.i, cell.j, units, best.d});
        }
        arena.draw().value("cells", static_cast<double>(state.mine.size()));  // a curve on the page
        arena.send(moves);
    }
    if (arena.result()) std::puts(lanista::to_string(*arena.result()).c_str());
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
