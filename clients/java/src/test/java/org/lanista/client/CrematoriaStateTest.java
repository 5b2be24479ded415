package org.lanista.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.lanista.client.CrematoriaState.Direction;
import org.lanista.client.CrematoriaState.Unit;
import org.lanista.client.CrematoriaState.UnitType;
import org.lanista.client.CrematoriaState.Way;

/** The state of Crematoria: facts in, what a bot asks for out (PROTOCOL.md 5). */
final class CrematoriaStateTest {
    private static final String SAID =
            Said.WELCOME + Said.CREMATORIA_START + Said.CREMATORIA_TURN;
    private static final int ALL = Integer.MAX_VALUE;

    private final CrematoriaState planet = first(SAID);

    private static CrematoriaState first(String said) {
        return (CrematoriaState) Wire.of(said).arena().iterator().next();
    }

    private static Pos pos(int i, int j, int k) {
        return new Pos(i, j, k);
    }

    private static List<Integer> ids(List<Unit> units) {
        List<Integer> ids = new ArrayList<>();
        for (Unit unit : units) {
            ids.add(unit.id());
        }
        return ids;
    }

    void theFacts() {
        Check.equal(
                List.of(5, 8, 120, 1, 1),
                List.of(
                        planet.rows(),
                        planet.cols(),
                        planet.nbRounds(),
                        planet.round(),
                        planet.me()));
        Check.equal(List.of(new Cell(2, 1), new Cell(2, 6)), planet.elevators());
        Check.equal(List.of(pos(0, 5, 1), pos(4, 2, 1)), planet.gems());
        Check.equal(6, planet.sun());
        Check.equal(List.of(0, 3, 1, 2), planet.nbCells());
        Check.equal(List.of(0, 1, 0, 2), planet.nbGems());
        Check.equal(List.of(0, 33, 1, 62), planet.points());
        Check.equal(planet.points(), planet.score());
        Check.equal(List.of(0.0, 0.25, -1.0, 0.0125), planet.status());
    }

    void units() {
        Check.equal(List.of(0, 1, 2, 3, 4, 5, 6), List.copyOf(planet.units().keySet()));
        Check.equal(List.of(1), ids(planet.pioneers(1)));
        Check.equal(List.of(0), ids(planet.furyans(1)));
        Check.equal(List.of(4, 5), ids(planet.necromongers()));
        Check.equal(List.of(6), ids(planet.hellhounds()));
        Unit pioneer = planet.units().get(2);
        Check.equal(new Unit(2, UnitType.PIONEER, 3, 15, -1, pos(2, 7, 0)), pioneer);
        Check.equal(List.of(2, 7, 0), List.of(pioneer.i(), pioneer.j(), pioneer.k()));
        Check.equal("<pioneer 2 of 3 at (2, 7, 0), health 15>", pioneer.toString());
        Check.that(pioneer == planet.unitAt(pos(2, 7, 0)), "it is on its cell");
        Check.equal(null, planet.unitAt(pos(2, 7, 1)));
    }

    /** Rules 2.3. */
    void aDescendingNecromongerIsNotOnItsCell() {
        Check.equal(null, planet.unitAt(pos(3, 4, 1)));
        Check.that(planet.units().get(4) == planet.unitAt(pos(0, 3, 1)), "this one has landed");
    }

    void cellsOfTheBoard() {
        List<Integer> owners = new ArrayList<>();
        for (int[] c : new int[][] {{1, 0}, {1, 1}, {0, 0}, {2, 1}, {2, 7}, {3, 5}}) {
            owners.add(planet.owner(c[0], c[1]));
        }
        Check.equal(List.of(1, -1, -1, -1, 3, 2), owners);
        Check.equal(List.of(-1, -1), List.of(planet.owner(-1, 0), planet.owner(0, 8)));
        Check.equal("1ECRRCE3", planet.own().get(2));
        Check.that(planet.cave(1, 0), "a cave, also when it is owned");
        Check.that(!planet.cave(2, 1) && !planet.cave(0, 0) && !planet.cave(1, 8), "no cave");
        Check.that(planet.elevator(2, 6) && !planet.elevator(6, 2), "elevators");
        Check.that(planet.passable(2, 1, 0), "an elevator");
        Check.that(!planet.passable(0, 0, 0), "rock");
        Check.that(planet.passable(pos(0, 0, 1)), "above rock");
        Check.that(!planet.passable(5, 0, 1) && !planet.passable(2, 2, 2), "outside the board");
        Check.that(planet.posOk(4, 7, 1) && !planet.posOk(4, 8, 1), "on the board, and not");
    }

    /**
     * Rules 2.5 with 8 columns: at 2r+4 … 2r+7 is day, two more at each round's end. Underground it
     * is never day.
     */
    void nightAndDay() {
        List<Integer> day = new ArrayList<>();
        List<Integer> rounds = new ArrayList<>();
        for (int j = 0; j < 8; j++) {
            if (planet.daylight(pos(0, j, 1))) {
                day.add(j);
            }
            Check.that(!planet.daylight(pos(1, j, 0)), "never day underground");
            rounds.add(planet.roundsOfNight(pos(0, j, 1)));
        }
        Check.equal(List.of(0, 1, 6, 7), day);
        Check.equal(List.of(0, 0, 0, 0, 1, 1, 0, 0), rounds);
    }

    /** Rules 2.1: columns are circular, rows aren't. */
    void distanceGoesAroundTheEdge() {
        Pos from = pos(1, 0, 0);
        Check.equal(
                List.of(1, 4, 4, 0),
                List.of(
                        planet.distance(from, pos(1, 7, 0)),
                        planet.distance(from, pos(1, 4, 0)),
                        planet.distance(from, pos(5, 0, 0)),
                        planet.distance(from, from)));
    }

    /** Around the edge, not past the top; up and down on elevators alone. */
    void ways() {
        Check.equal(
                List.of(
                        new Way(Direction.BOTTOM, pos(2, 0, 0)),
                        new Way(Direction.BR, pos(2, 1, 0)),
                        new Way(Direction.RIGHT, pos(1, 1, 0)),
                        new Way(Direction.LEFT, pos(1, 7, 0)),
                        new Way(Direction.LB, pos(2, 7, 0))),
                planet.neighbours(pos(1, 0, 0)));
        Check.that(
                planet.neighbours(pos(2, 1, 0)).contains(new Way(Direction.UP, pos(2, 1, 1))),
                "up from an elevator");
        Check.that(
                planet.neighbours(pos(2, 1, 1)).contains(new Way(Direction.DOWN, pos(2, 1, 0))),
                "down from an elevator");
        Check.equal(5, planet.neighbours(pos(0, 0, 1)).size());
        Check.equal(
                List.of(-1, 1, 0),
                List.of(Direction.RT.di(), Direction.RT.dj(), Direction.RT.dk()));
    }

    /** Also by elevators, unless the level is left out. */
    void distances() {
        List<Pos> goal = List.of(pos(1, 2, 0));
        Map<Pos, Integer> steps = planet.distances(goal);
        Check.equal(1, steps.get(pos(2, 1, 0)));
        Check.equal(2, steps.get(pos(2, 1, 1)));
        Check.equal(2, steps.get(pos(3, 1, 0)));
        Check.equal(2 + 3, steps.get(pos(2, 4, 1)));
        Map<Pos, Integer> under = planet.distances(goal, Set.of(), ALL, Set.of(0));
        for (Pos pos : under.keySet()) {
            Check.equal(0, pos.k());
        }
        Set<Pos> blocked = Set.of(pos(3, 4, 0), pos(3, 5, 0));
        Check.equal(19 - 2, planet.distances(goal, blocked, ALL, Set.of(0)).size());
        Check.equal(
                Set.of(pos(1, 2, 0), pos(1, 1, 0), pos(2, 1, 0), pos(2, 2, 0)),
                planet.distances(goal, Set.of(), 1, Set.of(0, 1)).keySet());
        Check.equal(Map.of(), planet.distances(List.of(pos(1, 8, 1), pos(1, 2, 2))));
    }

    /** PROTOCOL.md 3: units by id, gems and elevators by place, however they came. */
    void orderMeansNothing() {
        List<String> start = new ArrayList<>(List.of(Said.CREMATORIA_START.split("\n")));
        Collections.reverse(start.subList(1, start.size()));
        List<String> turn = new ArrayList<>(List.of(Said.CREMATORIA_TURN.split("\n")));
        Collections.reverse(turn.subList(1, turn.size() - 1));
        CrematoriaState crossed =
                first(String.join("\n", start) + "\n" + String.join("\n", turn) + "\n");
        Check.equal(List.copyOf(planet.units().values()), List.copyOf(crossed.units().values()));
        Check.equal(planet.gems(), crossed.gems());
        Check.equal(planet.elevators(), crossed.elevators());
        Check.equal(planet.own(), crossed.own());
    }

    void aTurnWithoutItsFactsIsUnreadable() {
        for (String keyword : List.of("own", "own 4", "unit", "sun", "score", "status")) {
            String said = SAID.replaceAll("(?m)^" + keyword + " .*\n", "");
            ArenaException e = Check.thrown(ArenaException.class, () -> first(said));
            Check.equal("unreadable", e.code());
        }
        String said = SAID.replace("unit 0 f", "unit 0 x");
        Check.equal(
                "unreadable", Check.thrown(ArenaException.class, () -> first(said)).code());
    }
}
