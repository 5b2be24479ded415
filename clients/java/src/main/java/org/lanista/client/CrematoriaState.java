package org.lanista.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A match of Crematoria (docs/rules/crematoria.md); positions are counted from 0 at the top left.
 *
 * <p>Columns are circular on both levels: the last and the first are neighbours. The methods here
 * know that, your own arithmetic must. No strategy lives here.
 */
public final class CrematoriaState extends State {
    private static final Set<Integer> BOTH_LEVELS = Set.of(0, 1);

    private final int rows;
    private final int cols;
    private final int nbRounds;
    private final List<String> caves;
    private final List<Cell> elevators;
    private final Set<Cell> elevatorCells;
    private final List<List<Way>> known; // by position: the ways that have been asked for
    private List<String> own;
    private SortedMap<Integer, Unit> units = new TreeMap<>();
    private Map<Pos, Unit> unitsAt = Map.of();
    private List<Pos> gems = List.of();
    private int sun;
    private List<Integer> nbCells = List.of();
    private List<Integer> nbGems = List.of();
    private List<Integer> points = List.of();
    private List<Double> status = List.of();

    CrematoriaState(String match, Facts start) {
        super(match, start);
        List<String> size = start.only("size");
        rows = Facts.integer(size, 0);
        cols = Facts.integer(size, 1);
        nbRounds = Integer.parseInt(settings().get("nb_rounds"));
        caves = start.board("row", rows, cols);
        own = caves;
        elevators = start.cells("elevator");
        elevatorCells = new HashSet<>(elevators);
        known = new ArrayList<>(Collections.nCopies(2 * rows * cols, null));
    }

    /** Takes the facts of a turn; units are new objects each turn. */
    @Override
    void update(int turn, Facts facts) {
        super.update(turn, facts);
        int count = players().size();
        own = facts.board("own", rows, cols);
        SortedMap<Integer, Unit> byId = new TreeMap<>();
        Map<Pos, Unit> byPos = new HashMap<>();
        facts.only("unit"); // a turn without any is none
        for (List<String> line : facts.all("unit")) {
            Unit unit = Unit.read(line);
            requireOnBoard(unit.pos);
            Facts.require(-1 <= unit.player && unit.player < count, "a unit of no player");
            byId.put(unit.id, unit);
            if (unit.turns <= 0) {
                byPos.put(unit.pos, unit);
            }
        }
        units = Collections.unmodifiableSortedMap(byId);
        unitsAt = byPos;
        List<Pos> outside = new ArrayList<>();
        for (Cell cell : facts.cells("gem")) {
            outside.add(new Pos(cell.i(), cell.j(), 1));
        }
        outside.forEach(this::requireOnBoard);
        gems = Collections.unmodifiableList(outside);
        sun = Facts.integer(facts.only("sun"), 0);
        nbCells = facts.integers("cells", count);
        nbGems = facts.integers("gems", count);
        points = facts.integers("score", count);
        status = facts.decimals("status", count);
    }

    private void requireOnBoard(Pos pos) {
        Facts.require(posOk(pos.i(), pos.j(), pos.k()), pos + " is outside the board");
    }

    /** {@return our own number: the seat} */
    public int me() {
        return seat();
    }

    /** {@return the round that is asked for, from 0: the turn} */
    public int round() {
        return turn();
    }

    /** {@return the rounds of the whole match} */
    public int nbRounds() {
        return nbRounds;
    }

    /** {@return the board's height in cells} */
    public int rows() {
        return rows;
    }

    /** {@return the board's width in cells} */
    public int cols() {
        return cols;
    }

    /** {@return every living unit by its id, in order of ids} */
    public SortedMap<Integer, Unit> units() {
        return units;
    }

    /**
     * {@return the pioneers of a player, by id}
     *
     * @param player the player
     */
    public List<Unit> pioneers(int player) {
        return unitsOf(UnitType.PIONEER, player);
    }

    /**
     * {@return the furyans of a player, by id}
     *
     * @param player the player
     */
    public List<Unit> furyans(int player) {
        return unitsOf(UnitType.FURYAN, player);
    }

    /** {@return the living necromongers, the descending ones too, by id} */
    public List<Unit> necromongers() {
        return unitsOf(UnitType.NECROMONGER, -1);
    }

    /** {@return the hellhounds, by id} */
    public List<Unit> hellhounds() {
        return unitsOf(UnitType.HELLHOUND, -1);
    }

    private List<Unit> unitsOf(UnitType type, int player) {
        List<Unit> found = new ArrayList<>();
        for (Unit unit : units.values()) {
            if (unit.type == type && unit.player == player) {
                found.add(unit);
            }
        }
        return found;
    }

    /**
     * {@return the unit on a cell, null: none; a necromonger that still descends isn't on it}
     *
     * @param pos the cell
     */
    public Unit unitAt(Pos pos) {
        return unitsAt.get(pos);
    }

    /**
     * {@return the rows of level 0, a character a cell: R rock, E an elevator, C a cave or the
     * player that owns it}
     */
    public List<String> own() {
        return own;
    }

    /**
     * {@return the player that owns a cell of level 0; -1: nobody, as rock, elevators and outside
     * the board}
     *
     * @param i the row
     * @param j the column
     */
    public int owner(int i, int j) {
        return posOk(i, j, 0) ? Character.digit(own.get(i).charAt(j), 10) : -1;
    }

    /**
     * {@return whether level 0 has a cave there, which can be owned; false outside the board}
     *
     * @param i the row
     * @param j the column
     */
    public boolean cave(int i, int j) {
        return posOk(i, j, 0) && caves.get(i).charAt(j) == 'C';
    }

    /**
     * {@return whether there is an elevator at that row and column, on both levels}
     *
     * @param i the row
     * @param j the column
     */
    public boolean elevator(int i, int j) {
        return elevatorCells.contains(new Cell(i, j));
    }

    /** {@return where the elevators are, the same on both levels, row by row} */
    public List<Cell> elevators() {
        return elevators;
    }

    /** {@return where gems lie, all of them on level 1, row by row} */
    public List<Pos> gems() {
        return gems;
    }

    /** {@return the first of the sunlit columns of level 1; they are half of all, circular} */
    public int sun() {
        return sun;
    }

    /**
     * {@return whether a cell is sunlit now, so that who steps there dies}
     *
     * @param pos the cell
     */
    public boolean daylight(Pos pos) {
        return pos.k() == 1 && Math.floorMod(pos.j() - sun, cols) < cols / 2;
    }

    /**
     * Tells how many rounds who stands on a cell outlives in place: 0 in the sun and before
     * sunrise.
     *
     * <p>The sun takes two columns at the end of each round (rules 5.5), so after a step to a cell
     * with 0 of them, the unit burns in this very round.
     *
     * @param pos a cell of level 1
     * @return the rounds
     */
    public int roundsOfNight(Pos pos) {
        int night = Math.floorMod(pos.j() - sun - cols / 2, cols);
        return night < cols / 2 ? night / 2 : 0;
    }

    /** {@return of each player, the caves it owns now} */
    public List<Integer> nbCells() {
        return nbCells;
    }

    /** {@return of each player, the gems it ever picked} */
    public List<Integer> nbGems() {
        return nbGems;
    }

    /** {@return of each player: cells, and gems at their value} */
    public List<Integer> points() {
        return points;
    }

    /** {@return the same as {@link #points}} */
    public List<Integer> score() {
        return points;
    }

    /** {@return of each player, its answer times as a share of the match's allowance; -1: out} */
    public List<Double> status() {
        return status;
    }

    /**
     * {@return whether a position lies on the board}
     *
     * @param i the row
     * @param j the column
     * @param k the level
     */
    public boolean posOk(int i, int j, int k) {
        return 0 <= i && i < rows && 0 <= j && j < cols && 0 <= k && k <= 1;
    }

    /**
     * {@return whether units can stand on a position: on the board and no rock}
     *
     * @param i the row
     * @param j the column
     * @param k the level
     */
    public boolean passable(int i, int j, int k) {
        return posOk(i, j, k) && (k == 1 || caves.get(i).charAt(j) != 'R');
    }

    /**
     * {@return whether units can stand on a position: on the board and no rock}
     *
     * @param pos the position
     */
    public boolean passable(Pos pos) {
        return passable(pos.i(), pos.j(), pos.k());
    }

    /**
     * {@return the steps between two positions as if there were no rock: circular, diagonal steps
     * count as one, and levels don't count}
     *
     * @param a one
     * @param b the other
     */
    public int distance(Pos a, Pos b) {
        int across = Math.abs(a.j() - b.j());
        return Math.max(Math.abs(a.i() - b.i()), Math.min(across, cols - across));
    }

    /**
     * {@return the ways out of a cell, in the order of the directions; {@code UP} and {@code DOWN}
     * are among them on elevators. Whether units, sun or hellhounds are there is another question}
     *
     * @param pos the cell
     */
    public List<Way> neighbours(Pos pos) {
        if (!posOk(pos.i(), pos.j(), pos.k())) {
            return waysFrom(pos);
        }
        int at = (pos.k() * rows + pos.i()) * cols + pos.j();
        List<Way> ways = known.get(at);
        if (ways == null) {
            ways = waysFrom(pos);
            known.set(at, ways);
        }
        return ways;
    }

    private List<Way> waysFrom(Pos pos) {
        List<Way> ways = new ArrayList<>();
        boolean lift = elevator(pos.i(), pos.j());
        for (Direction d : Direction.ALL) {
            int j = Math.floorMod(pos.j() + d.dj, cols);
            Pos other = new Pos(pos.i() + d.di, j, pos.k() + d.dk);
            if (d != Direction.NONE && (d.dk == 0 || lift) && passable(other)) {
                ways.add(new Way(d, other));
            }
        }
        return Collections.unmodifiableList(ways);
    }

    /**
     * {@return of each position, how many steps it is from the nearest goal, by elevators too}
     *
     * @param goals where to measure from; those outside the board count for nothing
     */
    public Map<Pos, Integer> distances(Collection<Pos> goals) {
        return distances(goals, Set.of(), Integer.MAX_VALUE, BOTH_LEVELS);
    }

    /**
     * {@return of each position, how many steps it is from the nearest goal, nearest first; ways
     * lead around rock and by elevators, and positions that none leads to aren't in it}
     *
     * @param goals where to measure from; those outside the board count for nothing
     * @param blocked positions to go around
     * @param within steps to look at, at most
     * @param levels the levels on which ways may lead; {@code Set.of(0)}: underground alone
     */
    public Map<Pos, Integer> distances(
            Collection<Pos> goals, Set<Pos> blocked, int within, Set<Integer> levels) {
        return Distances.from(
                goals,
                pos -> posOk(pos.i(), pos.j(), pos.k()),
                this::neighbours,
                Way::pos,
                pos -> !blocked.contains(pos) && levels.contains(pos.k()),
                within);
    }

    /**
     * {@return the submove that moves a unit by a step}
     *
     * @param id the unit's
     * @param direction where to
     */
    public static Move move(int id, Direction direction) {
        return Move.of(id, direction.ordinal());
    }

    /** A direction; its {@link #ordinal} is the number of it on the wire (PROTOCOL.md 5). */
    public enum Direction {
        /** To the row below. */
        BOTTOM(1, 0, 0),
        /** To the bottom and right. */
        BR(1, 1, 0),
        /** To the next column. */
        RIGHT(0, 1, 0),
        /** Right and to the top. */
        RT(-1, 1, 0),
        /** To the row above. */
        TOP(-1, 0, 0),
        /** To the top and left. */
        TL(-1, -1, 0),
        /** To the column before. */
        LEFT(0, -1, 0),
        /** Left and to the bottom. */
        LB(1, -1, 0),
        /** A level up, by an elevator. */
        UP(0, 0, 1),
        /** A level down, by an elevator. */
        DOWN(0, 0, -1),
        /** Nowhere. */
        NONE(0, 0, 0);

        private static final Direction[] ALL = values();

        private final int di;
        private final int dj;
        private final int dk;

        Direction(int di, int dj, int dk) {
            this.di = di;
            this.dj = dj;
            this.dk = dk;
        }

        /** {@return what it adds to the row} */
        public int di() {
            return di;
        }

        /** {@return what it adds to the column, which is circular} */
        public int dj() {
            return dj;
        }

        /** {@return what it adds to the level} */
        public int dk() {
            return dk;
        }
    }

    /**
     * A way out of a cell.
     *
     * @param direction that a unit takes
     * @param pos that it comes to
     */
    public record Way(Direction direction, Pos pos) {}

    /** What a unit can be. */
    public enum UnitType {
        /** It conquers caves and picks gems. */
        PIONEER,
        /** It fights. */
        FURYAN,
        /** Nobody's; it descends from the sky and hunts outside. */
        NECROMONGER,
        /** Nobody's, and immortal; it hunts underground. */
        HELLHOUND;

        private static UnitType read(String letter) {
            return switch (letter) {
                case "p" -> PIONEER;
                case "f" -> FURYAN;
                case "n" -> NECROMONGER;
                case "h" -> HELLHOUND;
                default -> throw new IllegalArgumentException("no type of units: " + letter);
            };
        }
    }

    /**
     * A living unit; a descending necromonger too.
     *
     * @param id it never changes
     * @param type what it is
     * @param player who it belongs to; -1: nobody
     * @param health a hellhound's is -1, for it is immortal
     * @param turns above 0: a necromonger that is descending over that cell and isn't on the board
     * @param pos where it is
     */
    public record Unit(int id, UnitType type, int player, int health, int turns, Pos pos) {
        static Unit read(List<String> line) {
            if (line.size() != 8) {
                throw new IllegalArgumentException("a unit of another length");
            }
            int i = Facts.integer(line, 5);
            int j = Facts.integer(line, 6);
            return new Unit(
                    Facts.integer(line, 0),
                    UnitType.read(line.get(1)),
                    Facts.integer(line, 2),
                    Facts.integer(line, 3),
                    Facts.integer(line, 4),
                    new Pos(i, j, Facts.integer(line, 7)));
        }

        /** {@return the row it is in} */
        public int i() {
            return pos.i();
        }

        /** {@return the column it is in} */
        public int j() {
            return pos.j();
        }

        /** {@return the level it is on} */
        public int k() {
            return pos.k();
        }

        /** {@return what it is, whose, where, and its health} */
        @Override
        public String toString() {
            String kind = type.name().toLowerCase(java.util.Locale.ROOT);
            return String.format("<%s %d of %d at %s, health %d>", kind, id, player, pos, health);
        }
    }
}
