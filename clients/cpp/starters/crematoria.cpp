// A first bot for Crematoria: pioneers conquer caves and fetch gems, furyans strike.

#include <set>

#include "lanista.hpp"

using lanista::Crematoria;
using lanista::Pos;

// Whether nothing kills a unit that goes there: no hellhound near, no sun.
static bool safe(const Crematoria& state, Pos pos) {
    if (pos.k == 1) return state.rounds_of_night(pos) > 0;
    for (const auto& hound : state.hellhounds())
        if (hound.pos.k == 0 && state.distance(pos, hound.pos) <= 2) return false;
    return true;
}

static bool is_enemy(const Crematoria& state, const Crematoria::Unit& unit) {
    return unit.player != state.me() && unit.player != -1;
}

// The direction of an enemy beside a furyan.
static std::optional<Crematoria::Dir> strike(const Crematoria& state,
                                             const Crematoria::Unit& furyan) {
    for (const auto& [d, pos] : state.neighbours(furyan.pos)) {
        const Crematoria::Unit* other = state.unit_at(pos);
        if (other && is_enemy(state, *other)) return d;
    }
    return {};
}

int main() try {
    const char* name = std::getenv("LANISTA_NAME");
    lanista::Arena arena({name ? name : "Starter", "crematoria"});
    while (arena.next()) {
        const Crematoria& state = arena.crematoria();
        std::vector<Pos> goals, enemies;
        for (int i = 0; i < state.rows; ++i)
            for (int j = 0; j < state.cols; ++j)
                if (state.cave({i, j}) && state.owner({i, j}) != state.me())
                    goals.push_back({i, j, 0});
        for (const Pos gem : state.gems)  // while the night over it lasts for the way and back
            if (state.rounds_of_night(gem) > 12) goals.push_back(gem);
        for (const auto& unit : state.units)
            if (is_enemy(state, unit) && unit.pos.k == 0) enemies.push_back(unit.pos);
        Crematoria::Search underground;
        underground.levels = {0};
        const auto pioneers = state.distances(goals);
        const auto furyans = state.distances(enemies, underground);
        lanista::Moves orders;
        std::set<Pos> taken;
        std::vector<Crematoria::Unit> units = state.furyans(state.me());
        for (const auto& unit : state.pioneers(state.me())) units.push_back(unit);
        for (const auto& unit : units) {
            const bool strikes = unit.type == Crematoria::furyan;
            const auto& steps = strikes ? furyans : pioneers;
            auto d = strikes ? strike(state, unit) : std::nullopt;
            if (!d) {
                std::optional<Crematoria::Way> best;
                for (const auto& way : state.neighbours(unit.pos))
                    if (safe(state, way.to) && !taken.count(way.to) && !state.unit_at(way.to) &&
                        (!best || steps[way.to] < steps[best->to]))
                        best = way;
                if (best) {
                    d = best->d;
                    taken.insert(best->to);
                }
            }
            if (d) orders.push_back({unit.id, *d});
        }
        arena.draw().cells({state.gems.begin(), state.gems.end()}, "yellow");  // on the page
        arena.send(orders);
    }
    if (arena.result()) std::puts(lanista::to_string(*arena.result()).c_str());
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
