//! A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the enemy base.

use std::env;

use lanista_client::angrymob::AngryMobState;
use lanista_client::{Arena, Error, Options};

fn main() -> Result<(), Error> {
    let name = env::var("LANISTA_NAME").unwrap_or_else(|_| "Starter".to_owned());
    let mut arena = Arena::<AngryMobState>::connect(Options::new().name(name).game("angrymob"))?;
    while let Some(state) = arena.next_turn()? {
        let mut goals = vec![state.enemy_base];
        if state.totals[state.seat] <= 8 {
            goals.extend(state.neutral.keys()); // still recruiting
        }
        let steps = state.distances(&goals);
        let mut orders = Vec::new();
        for (&(i, j), &units) in &state.mine {
            let ways = state.neighbours((i, j));
            if let Some((d, _)) = ways.min_by_key(|&(_, other)| steps.get(other)) {
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
