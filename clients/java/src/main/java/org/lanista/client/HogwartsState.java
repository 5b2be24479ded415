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
 * A match of Hogwarts (docs/rules/hogwarts.md); cells are counted from 0 at the top left.
 *
 * <p>What the original game calls by a name has that name here. No strategy lives here: spells are
 * for bots to solve.
 */
public final class HogwartsState extends State {
    private final int rows;
    private final int cols;
    private final int numRounds;
    private final List<String> corridors;
    private final List<List<Way>> straight; // by cell: the ways that have been asked for
    private final List<List<Way>> diagonal;
    private List<String> own;
    private SortedMap<Integer, Unit> units = new TreeMap<>();
    private Map<Cell, Unit> unitsAt = Map.of();
    private List<Cell> books = List.of();
    private Set<Cell> bookCells = Set.of();
    private Cell voldemort = new Cell(-1, -1);
    private List<Integer> spellIngredients = List.of();
    private List<Integer> strength = List.of();
    private List<Integer> score = List.of();
    private List<Double> status = List.of();

    HogwartsState(String match, Facts start) {
        super(match, start);
        List<String> size = start.only("size");
        rows = Facts.integer(size, 0);
        cols = Facts.integer(size, 1);
        numRounds = Integer.parseInt(settings().get("NUM_ROUNDS"));
        corridors = start.board("row", rows, cols);
        own = corridors;
        straight = new ArrayList<>(Collections.nCopies(rows * cols, null));
        diagonal = new ArrayList<>(straight);
    }

    /** Takes the facts of a turn; units and books are new objects each turn. */
    @Override
    void update(int turn, Facts facts) {
        super.update(turn, facts);
        int clans = players().size();
        own = facts.board("own", rows, cols);
        SortedMap<Integer, Unit> byId = new TreeMap<>();
        Map<Cell, Unit> byCell = new HashMap<>();
        facts.only("unit"); // a turn without any is none
        for (List<String> line : facts.all("unit")) {
            Unit unit = Unit.read(line);
            requireOnBoard(unit.pos);
            Facts.require(0 <= unit.player && unit.player < clans, "a unit of no clan");
            byId.put(unit.id, unit);
            byCell.put(unit.pos, unit);
        }
        units = Collections.unmodifiableSortedMap(byId);
        unitsAt = byCell;
        books = facts.cells("book");
        bookCells = new HashSet<>(books);
        voldemort = facts.cells("voldemort").get(0);
        books.forEach(this::requireOnBoard);
        requireOnBoard(voldemort);
        for (int clan = 0; clan < clans; clan++) {
            Unit ghost = byId.get(clan);
            boolean isThere = ghost != null && ghost.ghost && ghost.player == clan;
            Facts.require(isThere, "a clan without its ghost");
        }
        spellIngredients = facts.integers("spell", 15);
        strength = facts.integers("strength", clans);
        score = facts.integers("score", clans);
        status = facts.decimals("status", clans);
    }

    private void requireOnBoard(Cell cell) {
        Facts.require(posOk(cell.i(), cell.j()), cell + " is outside the board");
    }

    /** {@return our own clan: the seat} */
    public int me() {
        return seat();
    }

    /** {@return the round that is asked for, from 0: the turn} */
    public int round() {
        return turn();
    }

    /** {@return the rounds of the whole match} */
    public int numRounds() {
        return numRounds;
    }

    /** {@return the board's height in cells} */
    public int rows() {
        return rows;
    }

    /** {@return the board's width in cells} */
    public int cols() {
        return cols;
    }

    /** {@return every unit by its id, in order of ids} */
    public SortedMap<Integer, Unit> units() {
        return units;
    }

    /**
     * {@return the wizards of a clan, also those in conversion, by id}
     *
     * @param player the clan
     */
    public List<Unit> wizards(int player) {
        List<Unit> wizards = new ArrayList<>();
        for (Unit unit : units.values()) {
            if (unit.player == player && !unit.ghost) {
                wizards.add(unit);
            }
        }
        return wizards;
    }

    /**
     * {@return the ghost of a clan; null: there is no such clan}
     *
     * @param player the clan
     */
    public Unit ghost(int player) {
        Unit unit = units.get(player);
        return unit != null && unit.ghost() ? unit : null;
    }

    /**
     * {@return the unit on a cell; null: none}
     *
     * @param cell the cell
     */
    public Unit unitAt(Cell cell) {
        return unitsAt.get(cell);
    }

    /** {@return the rows of the board, a character a cell: W a wall, the owner's digit, or .} */
    public List<String> own() {
        return own;
    }

    /**
     * {@return the clan that owns a cell; -1: none, as of a wall and outside the board}
     *
     * @param cell the cell
     */
    public int owner(Cell cell) {
        return posOk(cell.i(), cell.j())
                ? Character.digit(own.get(cell.i()).charAt(cell.j()), 10)
                : -1;
    }

    /** {@return where books lie, row by row} */
    public List<Cell> books() {
        return books;
    }

    /**
     * {@return whether a book lies on a cell}
     *
     * @param cell the cell
     */
    public boolean book(Cell cell) {
        return bookCells.contains(cell);
    }

    /** {@return where Voldemort is} */
    public Cell voldemort() {
        return voldemort;
    }

    /**
     * {@return whether who steps on a cell dies at once: Voldemort's cell and the 8 around it}
     *
     * @param cell the cell
     */
    public boolean deadly(Cell cell) {
        int di = Math.abs(cell.i() - voldemort.i());
        int dj = Math.abs(cell.j() - voldemort.j());
        return di <= 1 && dj <= 1;
    }

    /**
     * {@return whether Voldemort's next step, wherever it leads, may kill who stands on a cell}
     *
     * @param cell the cell
     */
    public boolean reachOfVoldemort(Cell cell) {
        int di = Math.abs(cell.i() - voldemort.i());
        int dj = Math.abs(cell.j() - voldemort.j());
        return Math.min(di, dj) <= 1 && Math.max(di, dj) <= 2;
    }

    /** {@return the 15 ingredients of this round's spell} */
    public List<Integer> spellIngredients() {
        return spellIngredients;
    }

    /** {@return of each clan, its strength points, not divided by its units} */
    public List<Integer> strength() {
        return strength;
    }

    /**
     * {@return what a clan fights with: its strength points for each of its units, rounded down}
     *
     * @param player the clan
     */
    public int magicStrength(int player) {
        int count = 0;
        for (Unit unit : units.values()) {
            if (unit.player == player) {
                count++;
            }
        }
        return Math.floorDiv(strength.get(player), count);
    }

    /** {@return of each clan, its score} */
    public List<Integer> score() {
        return score;
    }

    /** {@return of each clan, its answer times as a share of the match's allowance; -1: out} */
    public List<Double> status() {
        return status;
    }

    /**
     * {@return whether a cell lies on the board}
     *
     * @param i the row
     * @param j the column
     */
    public boolean posOk(int i, int j) {
        return 0 <= i && i < rows && 0 <= j && j < cols;
    }

    /**
     * {@return whether a cell is a corridor; false outside the board}
     *
     * @param i the row
     * @param j the column
     */
    public boolean passable(int i, int j) {
        return posOk(i, j) && corridors.get(i).charAt(j) != 'W';
    }

    /**
     * {@return whether a cell is a corridor; false outside the board}
     *
     * @param cell the cell
     */
    public boolean passable(Cell cell) {
        return passable(cell.i(), cell.j());
    }

    /**
     * {@return the ways out of a cell that are open to a wizard, in the order of the directions}
     *
     * @param cell the cell
     */
    public List<Way> neighbours(Cell cell) {
        return neighbours(cell, false);
    }

    /**
     * {@return the ways out of a cell, in the order of the directions}
     *
     * @param cell the cell
     * @param diagonally the ways of a ghost, which goes in all eight directions
     */
    public List<Way> neighbours(Cell cell, boolean diagonally) {
        if (!posOk(cell.i(), cell.j())) {
            return waysFrom(cell, diagonally);
        }
        List<List<Way>> known = diagonally ? diagonal : straight;
        int at = cell.i() * cols + cell.j();
        List<Way> ways = known.get(at);
        if (ways == null) {
            ways = waysFrom(cell, diagonally);
            known.set(at, ways);
        }
        return ways;
    }

    private List<Way> waysFrom(Cell cell, boolean diagonally) {
        List<Way> ways = new ArrayList<>();
        for (Direction direction : Direction.ALL) {
            Cell other = new Cell(cell.i() + direction.di, cell.j() + direction.dj);
            if ((diagonally || direction.straight()) && passable(other)) {
                ways.add(new Way(direction, other));
            }
        }
        return Collections.unmodifiableList(ways);
    }

    /**
     * {@return of each cell, how many steps of a wizard it is from the nearest goal}
     *
     * @param goals where to measure from; those outside the board count for nothing
     */
    public Map<Cell, Integer> distances(Collection<Cell> goals) {
        return distances(goals, false, Set.of(), Integer.MAX_VALUE);
    }

    /**
     * {@return of each cell, how many steps it is from the nearest goal, nearest first; cells that
     * no way leads to aren't in it}
     *
     * @param goals where to measure from; those outside the board count for nothing
     * @param diagonally in the steps of a ghost
     * @param blocked cells to go around, beside the walls
     * @param within steps to look at, at most
     */
    public Map<Cell, Integer> distances(
            Collection<Cell> goals, boolean diagonally, Set<Cell> blocked, int within) {
        return Distances.from(
                goals,
                cell -> posOk(cell.i(), cell.j()),
                cell -> neighbours(cell, diagonally),
                Way::cell,
                cell -> !blocked.contains(cell),
                within);
    }

    /**
     * {@return the submove that moves a unit by a step}
     *
     * @param id the unit's
     * @param direction where to; a wizard goes {@linkplain Direction#straight straight} alone
     */
    public static Move move(int id, Direction direction) {
        return Move.of('m', id, direction.ordinal());
    }

    /**
     * {@return the submove by which a ghost casts a spell}
     *
     * @param id the ghost's
     * @param groups of each ingredient, the group it goes to
     */
    public static Move spell(int id, int... groups) {
        int[] numbers = new int[groups.length + 1];
        numbers[0] = id;
        System.arraycopy(groups, 0, numbers, 1, groups.length);
        return Move.of('s', numbers);
    }

    /** A direction; its {@link #ordinal} is the number of it on the wire (PROTOCOL.md 5). */
    public enum Direction {
        /** To the row below. */
        DOWN(1, 0),
        /** Down and right. */
        DR(1, 1),
        /** To the next column. */
        RIGHT(0, 1),
        /** Right and up. */
        RU(-1, 1),
        /** To the row above. */
        UP(-1, 0),
        /** Up and left. */
        UL(-1, -1),
        /** To the column before. */
        LEFT(0, -1),
        /** Left and down. */
        LD(1, -1);

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

        /** {@return whether it is one of the four that a wizard may take (rules 2)} */
        public boolean straight() {
            return di == 0 || dj == 0;
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
     * A wizard or a ghost.
     *
     * @param id it never changes; the ghost of clan p has the id p
     * @param ghost whether it is one; else it is a wizard
     * @param player the clan it belongs to
     * @param pos where it is
     * @param roundsPending a wizard's rounds until it changes clan, 0: it isn't converting; a
     *     ghost's rounds still to rest, 0: it may cast a spell
     * @param nextPlayer the clan a wizard will change to, -1: none; the last round in which a ghost
     *     was attacked, -1: never
     */
    public record Unit(
            int id, boolean ghost, int player, Cell pos, int roundsPending, int nextPlayer) {
        static Unit read(List<String> line) {
            if (line.size() != 7) {
                throw new IllegalArgumentException("a unit of another length");
            }
            return new Unit(
                    Facts.integer(line, 0),
                    line.get(1).equals("g"),
                    Facts.integer(line, 2),
                    new Cell(Facts.integer(line, 3), Facts.integer(line, 4)),
                    Facts.integer(line, 5),
                    Facts.integer(line, 6));
        }

        /** {@return the row it is in} */
        public int i() {
            return pos.i();
        }

        /** {@return the column it is in} */
        public int j() {
            return pos.j();
        }

        /** {@return whether it is a wizard that will change clan unless its own free it} */
        public boolean converting() {
            return roundsPending > 0 && !ghost;
        }

        /** {@return what it is, whose, where, and its rounds} */
        @Override
        public String toString() {
            String kind = ghost ? "ghost" : "wizard";
            return String.format("<%s %d of %d at %s, %d>", kind, id, player, pos, roundsPending);
        }
    }
}
