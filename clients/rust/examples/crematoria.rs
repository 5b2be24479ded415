//! A first bot for Crematoria: pioneers conquer caves and fetch gems, furyans strike.

use std::collections::HashSet;
use std::env;

use lanista_client::crematoria::{CrematoriaState, CrematoriaUnit, Direction, Pos, Search};
use lanista_client::{Arena, Error, Options};

/// Tells whether nothing kills a unit that goes there: no hellhound near, no sun.
fn safe(state: &CrematoriaState, pos: Pos) -> bool {
    if pos.2 == 1 {
        return state.rounds_of_night(pos) > 0;
    }
    let mut hounds = state.hellhounds().filter(|hound| hound.k() == 0);
    hounds.all(|hound| state.distance(pos, hound.pos) > 2)
}

/// Tells whether a unit is another player's.
fn enemy(state: &CrematoriaState, unit: &CrematoriaUnit) -> bool {
    unit.player.map_or(false, |player| player != state.me())
}

/// Gives the direction of an enemy beside a furyan.
fn strike(state: &CrematoriaState, furyan: &CrematoriaUnit) -> Option<Direction> {
    let mut ways = state.neighbours(furyan.pos);
    let hit = ways.find(|&(_, pos)| state.unit_at(pos).map_or(false, |unit| enemy(state, unit)));
    hit.map(|(d, _)| d)
}

/// Tells where pioneers should go.
fn goals(state: &CrematoriaState) -> Vec<Pos> {
    let cells = (0..state.rows).flat_map(|i| (0..state.cols).map(move |j| (i, j)));
    let others = |&(i, j): &_| state.cave(i, j) && state.owner(i, j) != Some(state.me());
    let mut goals: Vec<Pos> = cells.filter(others).map(|(i, j)| (i, j, 0)).collect();
    // A gem is a goal while the night over it lasts for the way there and back.
    goals.extend(state.gems.iter().filter(|&&gem| state.rounds_of_night(gem) > 12));
    goals
}

fn main() -> Result<(), Error> {
    let name = env::var("LANISTA_NAME").unwrap_or_else(|_| "Starter".to_owned());
    let options = Options::new().name(name).game("crematoria");
    let mut arena = Arena::<CrematoriaState>::connect(options)?;
    while let Some(state) = arena.next_turn()? {
        let caves_and_gems = state.distances(&goals(&state));
        let enemies = state.units.values().filter(|unit| enemy(&state, unit) && unit.k() == 0);
        let enemies: Vec<Pos> = enemies.map(|unit| unit.pos).collect();
        let underground = Search { levels: &[0], ..Search::default() };
        let enemies = state.distances_with(&enemies, underground);
        let (mut orders, mut taken) = (Vec::new(), HashSet::new());
        let furyans = state.furyans(state.me()).map(|unit| (unit, &enemies, strike(&state, unit)));
        let pioneers = state.pioneers(state.me()).map(|unit| (unit, &caves_and_gems, None));
        for (unit, steps, strike) in furyans.chain(pioneers) {
            let step = || {
                let ways = state.neighbours(unit.pos).filter(|&(_, pos)| {
                    safe(&state, pos) && !taken.contains(&pos) && state.unit_at(pos).is_none()
                });
                ways.min_by_key(|&(d, pos)| (steps.get(pos).unwrap_or(9999), d))
            };
            if let Some(d) = strike {
                orders.push((unit.id, d));
            } else if let Some((d, pos)) = step() {
                taken.insert(pos);
                orders.push((unit.id, d));
            }
        }
        arena.draw().cells(&state.gems, "yellow"); // on the page's board
        arena.send(&orders);
    }
    if let Some(result) = arena.result() {
        println!("{}", result);
    }
    Ok(())
}
