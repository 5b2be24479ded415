package org.lanista.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.lanista.client.HogwartsState.Direction;
import org.lanista.client.HogwartsState.Unit;
import org.lanista.client.HogwartsState.Way;

/** The state of Hogwarts: facts in, what a bot asks for out (PROTOCOL.md 5). */
final class HogwartsStateTest {
    private static final String SAID = Said.WELCOME + Said.HOGWARTS_START + Said.HOGWARTS_TURN;

    private final HogwartsState school = first(SAID);

    private static HogwartsState first(String said) {
        return (HogwartsState) Wire.of(said).arena().iterator().next();
    }

    private static Cell cell(int i, int j) {
        return new Cell(i, j);
    }

    private static List<Integer> ids(List<Unit> units) {
        List<Integer> ids = new ArrayList<>();
        for (Unit unit : units) {
            ids.add(unit.id());
        }
        return ids;
    }

    private static List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 8; j++) {
                cells.add(cell(i, j));
            }
        }
        return cells;
    }

    void theFacts() {
        Check.equal(
                List.of(6, 8, 200, 7, 1),
                List.of(
                        school.rows(),
                        school.cols(),
                        school.numRounds(),
                        school.round(),
                        school.me()));
        Check.equal(List.of(cell(0, 3), cell(5, 0)), school.books());
        Check.equal(cell(3, 7), school.voldemort());
        Check.equal(
                List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                school.spellIngredients());
        Check.equal(List.of(1000, 1000, 1050, 0), school.strength());
        Check.equal(List.of(101, 3, -1, 2), school.score());
        Check.equal(List.of(0.0, 0.25, -1.0, 0.0125), school.status());
    }

    /** Rules 2: the two numbers mean one thing for wizards, another for ghosts. */
    void units() {
        Check.equal(List.of(0, 1, 2, 3, 4, 5, 6), List.copyOf(school.units().keySet()));
        Check.equal(List.of(5, 6), ids(school.wizards(1)));
        Check.equal(List.of(), ids(school.wizards(2)));
        Check.equal(new Unit(1, true, 1, cell(0, 0), 53, 5), school.ghost(1));
        Check.that(!school.ghost(1).converting(), "a ghost rests, it doesn't convert");
        Check.equal(null, school.ghost(6)); // the id of a wizard
        Unit wizard = school.units().get(6);
        Check.equal(new Unit(6, false, 1, cell(2, 1), 3, 2), wizard);
        Check.that(wizard.converting(), "it converts");
        Check.equal(List.of(2, 1), List.of(wizard.i(), wizard.j()));
        Check.equal("<wizard 6 of 1 at (2, 1), 3>", wizard.toString());
        Check.that(wizard == school.unitAt(cell(2, 1)), "it is on its cell");
        Check.equal(null, school.unitAt(cell(2, 2)));
    }

    /** Rules 2: the ghost counts. Clan 1: 1000 for three; clan 2: a ghost alone. */
    void magicStrengthIsRoundedDownForEachUnit() {
        List<Integer> strengths = new ArrayList<>();
        for (int clan = 0; clan < 4; clan++) {
            strengths.add(school.magicStrength(clan));
        }
        Check.equal(List.of(1000, 333, 1050, 0), strengths);
    }

    void cellsOfTheBoard() {
        Check.equal(1, school.owner(cell(0, 0)));
        Check.equal(-1, school.owner(cell(0, 2)));
        Check.equal(-1, school.owner(cell(1, 1)));
        Check.equal(2, school.owner(cell(3, 0)));
        Check.equal(3, school.owner(cell(5, 5)));
        Check.equal(-1, school.owner(cell(-1, 0)));
        Check.equal(-1, school.owner(cell(0, 8)));
        Check.thrown(IndexOutOfBoundsException.class, () -> school.own().get(6));
        Check.equal("11......", school.own().get(0));
        Check.that(school.passable(0, 0), "a corridor");
        Check.that(!school.passable(1, 1), "a wall");
        Check.that(!school.passable(cell(-1, 0)) && !school.passable(0, 8), "outside");
        Check.that(school.posOk(5, 7) && school.posOk(1, 1), "on the board");
        Check.that(!school.posOk(6, 0) && !school.posOk(0, -1), "outside");
        Check.that(school.book(cell(0, 3)) && !school.book(cell(0, 2)), "a book lies at (0, 3)");
    }

    /** Rules 6 and 10: now in his 3x3, after his step in that of a cell beside him. */
    void whereVoldemortKills() {
        int i = school.voldemort().i();
        int j = school.voldemort().j();
        for (Cell cell : cells()) {
            boolean now = cell.i() >= 2 && cell.i() <= 4 && cell.j() >= 6;
            Check.equal(cell + " " + now, cell + " " + school.deadly(cell));
            boolean after = false;
            for (int[] step : new int[][] {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}) {
                after |=
                        Math.abs(cell.i() - i - step[0]) <= 1
                                && Math.abs(cell.j() - j - step[1]) <= 1;
            }
            Check.equal(cell + " " + after, cell + " " + school.reachOfVoldemort(cell));
        }
    }

    /** Rules 2: wizards go straight; both go around walls. */
    void waysOfWizardsAndGhosts() {
        Check.equal(
                List.of(
                        new Way(Direction.DOWN, cell(1, 0)), new Way(Direction.RIGHT, cell(0, 1))),
                school.neighbours(cell(0, 0)));
        Check.equal(
                List.of(
                        new Way(Direction.DOWN, cell(3, 0)),
                        new Way(Direction.DR, cell(3, 1)),
                        new Way(Direction.RIGHT, cell(2, 1)),
                        new Way(Direction.UP, cell(1, 0))),
                school.neighbours(cell(2, 0), true));
        Check.equal(
                List.of(new Way(Direction.RIGHT, cell(0, 0))), school.neighbours(cell(0, -1)));
        Check.equal(List.of(1, 1), List.of(Direction.DR.di(), Direction.DR.dj()));
        Check.equal(List.of(1, -1), List.of(Direction.LD.di(), Direction.LD.dj()));
    }

    /** Around walls; through `blocked` never; `within` ends the search. */
    void distances() {
        Map<Cell, Integer> steps = school.distances(List.of(cell(0, 1)));
        Check.equal(0, steps.get(cell(0, 1)));
        Check.equal(1, steps.get(cell(0, 0)));
        Check.equal(3, steps.get(cell(2, 0)));
        Check.equal(4, steps.get(cell(2, 1)));
        Check.equal(null, steps.get(cell(1, 1)));
        Check.equal(48 - 3, steps.size());
        int all = Integer.MAX_VALUE;
        List<Cell> goal = List.of(cell(0, 1));
        Check.equal(2, school.distances(goal, true, Set.of(), all).get(cell(2, 1)));
        Check.equal(5, school.distances(goal, false, Set.of(cell(1, 0)), all).get(cell(2, 2)));
        Check.equal(
                Map.of(cell(0, 1), 0, cell(0, 0), 1, cell(0, 2), 1),
                school.distances(goal, false, Set.of(), 1));
        Check.equal(Map.of(), school.distances(List.of(cell(-1, 0), cell(0, 8))));
        Map<Cell, Integer> two = school.distances(List.of(cell(0, 0), cell(5, 7)));
        Check.equal(List.of(3, 3), List.of(two.get(cell(0, 3)), two.get(cell(5, 4))));
        int last = 0;
        for (int step : steps.values()) {
            Check.that(step >= last, "nearest first");
            last = step;
        }
    }

    /** PROTOCOL.md 3: units by id, books by place, however they came. */
    void orderMeansNothing() {
        List<String> start = new ArrayList<>(List.of(Said.HOGWARTS_START.split("\n")));
        Collections.reverse(start.subList(1, start.size()));
        List<String> turn = new ArrayList<>(List.of(Said.HOGWARTS_TURN.split("\n")));
        Collections.reverse(turn.subList(1, turn.size() - 1));
        HogwartsState crossed =
                first(String.join("\n", start) + "\n" + String.join("\n", turn) + "\n");
        Check.equal(List.copyOf(school.units().values()), List.copyOf(crossed.units().values()));
        Check.equal(school.books(), crossed.books());
        Check.equal(school.own(), crossed.own());
        Check.equal(school.players(), crossed.players());
    }

    void aTurnWithoutItsFactsIsUnreadable() {
        for (String keyword : List.of("own", "own 0", "unit", "voldemort", "score", "status")) {
            String said = SAID.replaceAll("(?m)^" + keyword + " .*\n", "");
            ArenaException e = Check.thrown(ArenaException.class, () -> first(said));
            Check.equal("unreadable", e.code());
        }
    }

    /** Also what was looked up by cell. */
    void theNextTurnReplacesWhatTheLastOneSaid() {
        String turn =
                Said.HOGWARTS_TURN
                        .replace("turn 7", "turn 8")
                        .replace("book 0 3\n", "")
                        .replace("unit 5 w 1 0 1", "unit 5 w 1 0 2")
                        .replace("11......", "111.....");
        Arena arena = Wire.of(SAID + turn).arena();
        HogwartsState state = (HogwartsState) arena.iterator().next();
        Check.equal(5, state.unitAt(cell(0, 1)).id());
        Check.that(state.book(cell(0, 3)), "a book lies there");
        Check.equal(-1, state.owner(cell(0, 2)));
        arena.send();
        Check.that(state == arena.iterator().next(), "one state a match");
        Check.equal(8, state.round());
        Check.equal(null, state.unitAt(cell(0, 1)));
        Check.equal(5, state.unitAt(cell(0, 2)).id());
        Check.that(!state.book(cell(0, 3)), "it is gone");
        Check.equal(1, state.owner(cell(0, 2)));
        Check.equal(List.of(cell(5, 0)), state.books());
    }

    /** What every position is looked up by. */
    void cellsOfABoardHaveHashesOfTheirOwn() {
        Set<Integer> hashes = new HashSet<>();
        for (Cell cell : cells()) {
            hashes.add(cell.hashCode());
        }
        Check.equal(48, hashes.size());
    }
}
