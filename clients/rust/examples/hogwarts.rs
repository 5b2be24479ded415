//! A first bot for Hogwarts: wizards fetch books, attack and take cells; the ghost casts spells.

use std::env;

use lanista_client::hogwarts::{Cell, HogwartsState, Order};
use lanista_client::{Arena, Error, Options};

/// Completes the groups, some given by ingredient: five of three each, with equal sums.
fn solve(ingredients: &[i32; 15], groups: [Option<i32>; 15]) -> Option<[i32; 15]> {
    let mut free: Vec<usize> = (0..15).filter(|&k| groups[k].is_none()).collect();
    if free.is_empty() {
        return Some(groups.map(Option::unwrap_or_default));
    }
    let group = (15 - free.len() as i32) / 3;
    let sum = ingredients.iter().sum::<i32>() / 5;
    free.sort_by_key(|&k| -ingredients[k]); // the largest leaves the fewest choices
    for (n, &a) in free.iter().enumerate().skip(1) {
        for &b in &free[n + 1..] {
            if ingredients[free[0]] + ingredients[a] + ingredients[b] == sum {
                let mut more = groups;
                for k in [free[0], a, b] {
                    more[k] = Some(group);
                }
                let solution = solve(ingredients, more);
                if solution.is_some() {
                    return solution;
                }
            }
        }
    }
    None
}

/// Tells where it is worth going: books, enemies not much stronger, cells of others.
fn goals(state: &HogwartsState) -> Vec<Cell> {
    let mut goals = state.books.clone();
    let strength = state.magic_strength(state.me());
    for unit in state.units.values() {
        let enemy = unit.player != state.me() && !unit.ghost && !unit.converting();
        if enemy && state.magic_strength(unit.player) <= 2 * strength {
            goals.push(unit.pos);
        }
    }
    let cells = (0..state.rows).flat_map(|i| (0..state.cols).map(move |j| (i, j)));
    let free = |cell| state.owner(cell) != Some(state.me()) && state.unit_at(cell).is_none();
    goals.extend(cells.filter(|&cell| state.passable(cell) && free(cell)));
    goals.retain(|&cell| !state.reach_of_voldemort(cell));
    goals
}

fn main() -> Result<(), Error> {
    let name = env::var("LANISTA_NAME").unwrap_or_else(|_| "Starter".to_owned());
    let mut arena = Arena::<HogwartsState>::connect(Options::new().name(name).game("hogwarts"))?;
    while let Some(state) = arena.next_turn()? {
        let mut orders = Vec::new();
        if let Some(ghost) = state.ghost(state.me()) {
            if ghost.rounds_pending == 0 && state.round() < state.num_rounds - 50 {
                let solution = solve(&state.spell_ingredients, [None; 15]);
                orders.extend(solution.map(|groups| Order::Spell(ghost.id, groups)));
            }
        }
        let steps = state.distances(&goals(&state));
        for wizard in state.wizards(state.me()) {
            let ways = state.neighbours(wizard.pos);
            let best = ways
                .filter(|&(_, cell)| !state.reach_of_voldemort(cell))
                .min_by_key(|&(d, cell)| (steps.get(cell).unwrap_or(9999), d));
            orders.extend(best.map(|(d, _)| Order::Move(wizard.id, d)));
        }
        arena.draw().cells(&state.books, "yellow"); // on the page's board
        arena.send(&orders);
    }
    if let Some(result) = arena.result() {
        println!("{}", result);
    }
    Ok(())
}
