// A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the enemy base.

#include "lanista.hpp"

using lanista::AngryMob;
using lanista::Cell;

int main() try {
    const char* name = std::getenv("LANISTA_NAME");
    lanista::Arena arena({name ? name : "Starter", "angrymob"});
    while (arena.next()) {
        const AngryMob& state = arena.angrymob();
        std::vector<Cell> goals = {state.enemy_base};
        if (state.totals.at(static_cast<std::size_t>(state.seat)) <= 8)  // recruiting
            for (const auto& [cell, units] : state.neutral) goals.push_back(cell);
        const auto steps = state.distances(goals);
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
