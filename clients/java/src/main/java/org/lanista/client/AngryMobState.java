package org.lanista.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A match of Angry Mob (docs/rules/angrymob.md); cells are counted from 0 at the top left. */
public final class AngryMobState extends State {
    private final int rows;
    private final int cols;
    private final boolean[][] passable;
    private final List<Cell> bases;
    private final Map<Cell, Integer> neutral = new LinkedHashMap<>();
    private final Map<Cell, Integer> neutralView = Collections.unmodifiableMap(neutral);
    private Map<Cell, Integer> mine = Map.of();
    private Map<Cell, Integer> theirs = Map.of();
    private List<Integer> totals = List.of();

    AngryMobState(String match, Facts start) {
        super(match, start);
        List<String> size = start.only("size");
        rows = Facts.integer(size, 0);
        cols = Facts.integer(size, 1);
        List<boolean[]> grid = new ArrayList<>();
        for (List<String> row : start.numbered("row")) {
            grid.add(read(grid.size(), row));
        }
        if (grid.size() != rows) {
            throw new IllegalArgumentException("not all rows");
        }
        passable = grid.toArray(new boolean[0][]);
        List<Cell> places = new ArrayList<>();
        for (List<String> line : start.numbered("base")) {
            places.add(cell(line));
        }
        bases = Collections.unmodifiableList(places);
        if (bases.size() != 2) {
            throw new IllegalArgumentException("not two bases");
        }
    }

    /** Which cells of a row are passable; its neutral units are taken down. */
    private boolean[] read(int i, List<String> row) {
        if (row.size() != cols) {
            throw new IllegalArgumentException("a row of another length");
        }
        boolean[] open = new boolean[cols];
        for (int j = 0; j < cols; j++) {
            String mark = row.get(j);
            open[j] = !mark.equals("#");
            if (Character.isDigit(mark.charAt(0))) {
                neutral.put(new Cell(i, j), Integer.valueOf(mark));
            }
        }
        return open;
    }

    /** Takes the facts of a turn (PROTOCOL.md 5); of neutral units only what changed is told. */
    @Override
    void update(int turn, Facts facts) {
        super.update(turn, facts);
        Map<Cell, Integer> ours = new LinkedHashMap<>();
        Map<Cell, Integer> others = new LinkedHashMap<>();
        for (List<String> unit : facts.all("unit")) {
            boolean isOurs = Facts.integer(unit, 2) == seat();
            (isOurs ? ours : others).put(cell(unit), Facts.integer(unit, 3));
        }
        mine = Collections.unmodifiableMap(ours);
        theirs = Collections.unmodifiableMap(others);
        for (List<String> line : facts.all("neutral")) {
            Cell cell = cell(line);
            int units = Facts.integer(line, 2);
            if (units == 0) {
                neutral.remove(cell);
            } else {
                neutral.put(cell, units);
            }
        }
        List<Integer> sums = new ArrayList<>();
        for (List<String> line : facts.numbered("total")) {
            sums.add(Facts.integer(line, 0));
        }
        totals = Collections.unmodifiableList(sums);
    }

    /** The cell that a line tells first, where units can stand. */
    private Cell cell(List<String> line) {
        Cell cell = new Cell(Facts.integer(line, 0), Facts.integer(line, 1));
        Facts.require(passable(cell), "nothing can stand in " + cell);
        return cell;
    }

    /** {@return the map's height in cells} */
    public int rows() {
        return rows;
    }

    /** {@return the map's width in cells} */
    public int cols() {
        return cols;
    }

    /** {@return the cells that hold our units, and how many, by row and column} */
    public Map<Cell, Integer> mine() {
        return mine;
    }

    /** {@return the cells that hold units of the opponent, and how many, by row and column} */
    public Map<Cell, Integer> theirs() {
        return theirs;
    }

    /** {@return the cells that hold neutral units now, and how many; one object all match long} */
    public Map<Cell, Integer> neutral() {
        return neutralView;
    }

    /** {@return how many units each seat has on the map} */
    public List<Integer> totals() {
        return totals;
    }

    /** {@return the base of each seat} */
    public List<Cell> bases() {
        return bases;
    }

    /** {@return our own base} */
    public Cell base() {
        return bases.get(seat());
    }

    /** {@return the opponent's base} */
    public Cell enemyBase() {
        return bases.get(1 - seat());
    }

    /**
     * {@return the submoves that each seat sent last turn; at turn 0 none of either}
     *
     * @throws IllegalArgumentException the arena told something else than submoves
     */
    public List<List<Moved>> moved() {
        List<List<Moved>> moved = List.of(new ArrayList<>(), new ArrayList<>());
        for (List<String> line : facts().getOrDefault("moved", List.of())) {
            if (line.size() % 4 != 1) {
                throw new IllegalArgumentException("submoves of four numbers each, not " + line);
            }
            for (int at = 1; at < line.size(); at += 4) {
                int k = Facts.integer(line, at + 2);
                int d = Facts.integer(line, at + 3);
                moved.get(Facts.integer(line, 0))
                        .add(new Moved(Facts.integer(line, at), Facts.integer(line, at + 1), k, d));
            }
        }
        return moved;
    }

    /**
     * {@return whether units can stand on a cell; false outside the map}
     *
     * @param i the row
     * @param j the column
     */
    public boolean passable(int i, int j) {
        return 0 <= i && i < rows && 0 <= j && j < cols && passable[i][j];
    }

    /**
     * {@return whether units can stand on a cell; false outside the map}
     *
     * @param cell the cell
     */
    public boolean passable(Cell cell) {
        return passable(cell.i(), cell.j());
    }

    /**
     * {@return the ways out of a cell, in the order of the directions}
     *
     * @param cell the cell
     */
    public List<Way> neighbours(Cell cell) {
        List<Way> ways = new ArrayList<>(Direction.ALL.length);
        for (Direction direction : Direction.ALL) {
            Cell other = new Cell(cell.i() + direction.di, cell.j() + direction.dj);
            if (passable(other)) {
                ways.add(new Way(direction, other));
            }
        }
        return ways;
    }

    /**
     * {@return of each cell, how many steps it is from the nearest goal}
     *
     * @param goals where to measure from; those outside the map count for nothing
     */
    public Map<Cell, Integer> distances(Collection<Cell> goals) {
        return distances(goals, Set.of(), Integer.MAX_VALUE);
    }

    /**
     * {@return of each cell, how many steps it is from the nearest goal, nearest first; cells that
     * no way leads to aren't in it}
     *
     * @param goals where to measure from; those outside the map count for nothing
     * @param blocked cells to go around, beside the impassable ones
     * @param within steps to look at, at most
     */
    public Map<Cell, Integer> distances(Collection<Cell> goals, Set<Cell> blocked, int within) {
        return Distances.from(
                goals,
                cell -> 0 <= cell.i() && cell.i() < rows && 0 <= cell.j() && cell.j() < cols,
                this::neighbours,
                Way::cell,
                cell -> !blocked.contains(cell),
                within);
    }

    /**
     * {@return a submove}
     *
     * @param from where the units are
     * @param units how many of them go
     * @param direction where they go
     */
    public static Move move(Cell from, int units, Direction direction) {
        return Move.of(from.i(), from.j(), units, direction.ordinal());
    }

    /** A direction; its {@link #ordinal} is the number of it on the wire (PROTOCOL.md 5). */
    public enum Direction {
        /** To the next column. */
        RIGHT(0, 1),
        /** To the row above. */
        UP(-1, 0),
        /** To the column before. */
        LEFT(0, -1),
        /** To the row below. */
        DOWN(1, 0);

        private static final Direction[] ALL = values();

        private final int di;
        private final int dj;

        Direction(int di, int dj) {
            this.di = di;
            this.dj = dj;
        }

        /** {@return what it adds to the row} */
        public int di() {
            return di;
        }

        /** {@return what it adds to the column} */
        public int dj() {
            return dj;
        }
    }

    /**
     * A way out of a cell.
     *
     * @param direction that a unit takes
     * @param cell that it comes to
     */
    public record Way(Direction direction, Cell cell) {}

    /**
     * A submove that was sent, also one that the rules refused.
     *
     * @param i the row of the cell
     * @param j its column
     * @param k how many units went from there
     * @param d the number of the direction they took
     */
    public record Moved(int i, int j, int k, int d) {}
}
