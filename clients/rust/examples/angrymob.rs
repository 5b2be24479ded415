//! A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the enemy base.

use std::collections::HashMap;
use std::env;

use lanista_client::angrymob::{AngryMobState, Cell};
use lanista_client::{Arena, Error, Options};

/// Tells for each cell how many steps it is from the nearest goal.
fn distances(state: &AngryMobState, goals: Vec<Cell>) -> HashMap<Cell, i32> {
    let mut steps: HashMap<Cell, i32> = goals.iter().map(|&goal| (goal, 0)).collect();
    let mut queue = goals;
    let mut next = 0;
    while let Some(&cell) = queue.get(next) {
        let step = steps[&cell] + 1;
        for (_, other) in state.neighbours(cell) {
            steps.entry(other).or_insert_with(|| {
                queue.push(other);
                step
            });
        }
        next += 1;
    }
    steps
}

fn main() -> Result<(), Error> {
    let name = env::var("LANISTA_NAME").unwrap_or_else(|_| "Starter".to_owned());
    let mut arena = Arena::<AngryMobState>::connect(Options::new().name(name).game("angrymob"))?;
    while let Some(state) = arena.next_turn()? {
        let mut goals = vec![state.enemy_base];
        if state.totals[state.seat] <= 8 {
            goals.extend(state.neutral.keys()); // still recruiting
        }
        let steps = distances(&state, goals);
        let mut orders = Vec::new();
        for (&(i, j), &units) in &state.mine {
            let ways = state.neighbours((i, j));
            if let Some((d, _)) = ways.min_by_key(|(_, other)| steps[other]) {
                orders.push((i, j, units, d));
            }
        }
        arena.draw().value("cells", state.mine.len() as f64); // a curve on the page
        arena.send(&orders);
    }
    if let Some(result) = arena.result() {
        println!("{}", result);
    }
    Ok(())
}
