package org.lanista.client;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Shows something on the board of whoever may see the bot's log (PROTOCOL.md 9), in the present
 * turn.
 *
 * <p>A colour is {@code own} (the seat's), {@code red}, {@code orange}, {@code yellow}, {@code
 * green}, {@code blue}, {@code pink}, {@code gray}, {@code ink} (dark on light, light on dark) or
 * {@code #rrggbb}. Each call is sent at once, as log lines: the arena keeps 16 KiB a turn. Nothing is
 * checked: whoever shows the board remarks beside a line what is wrong with it, so that drawing never
 * costs a match.
 */
public final class Draw {
    /**
     * Code points of a line, at most 4 bytes each: within the 65,536 bytes of PROTOCOL.md 1. A line
     * that is cut is too long to be drawn, so half a number never draws anything.
     */
    private static final int LONGEST = 1 << 13;

    private final Consumer<String> write;

    Draw(Consumer<String> write) {
        this.write = write;
    }

    /**
     * Marks a cell.
     *
     * @param place the cell
     * @param colour its colour
     */
    public void cell(Place place, String colour) {
        cells(List.of(place), colour);
    }

    /**
     * Marks cells; one call for many needs less of the log than many calls.
     *
     * @param places the cells
     * @param colour their colour
     */
    public void cells(Iterable<? extends Place> places, String colour) {
        points("cell", 1, places, colour);
    }

    /**
     * Draws a line from place to place; where it changes the level, it begins anew.
     *
     * @param places its corners
     * @param colour its colour
     */
    public void line(Iterable<? extends Place> places, String colour) {
        points("line", 2, places, colour);
    }

    /**
     * Draws a line as {@link #line} does, with an arrowhead at its end.
     *
     * @param places its corners
     * @param colour its colour
     */
    public void arrow(Iterable<? extends Place> places, String colour) {
        points("arrow", 2, places, colour);
    }

    /**
     * Writes a text that begins at a cell.
     *
     * @param place the cell
     * @param text up to 80 characters
     * @param colour its colour
     */
    public void text(Place place, String text, String colour) {
        write("text " + place.i() + " " + place.j() + level(place) + " " + colour + " " + text);
    }

    /**
     * Gives the number of this turn for a curve.
     *
     * @param name the curve's, of {@code A-Z a-z 0-9 . _ -}
     * @param number finite
     */
    public void value(String name, double number) {
        String digits = Double.toString(number);
        if (Double.isFinite(number) && number == Math.rint(number) && Math.abs(number) < 1e15) {
            digits = BigDecimal.valueOf(number).setScale(0).toPlainString(); // 7 rather than 7.0
        }
        write("value " + name + " " + digits);
    }

    /** Draws by as many lines of the log as there are changes of the level. */
    private void points(
            String kind, int least, Iterable<? extends Place> places, String colour) {
        List<Place> run = new ArrayList<>();
        for (Place place : places) {
            if (!run.isEmpty() && !level(run.get(0)).equals(level(place))) {
                run(kind, least, run, colour);
                run.clear();
            }
            run.add(place);
        }
        run(kind, least, run, colour);
    }

    private void run(String kind, int least, List<Place> run, String colour) {
        if (run.size() >= least) {
            StringBuilder line = new StringBuilder(kind);
            for (Place place : run) {
                line.append(' ').append(place.i()).append(' ').append(place.j());
            }
            write(line.append(level(run.get(0))).append(' ').append(colour).toString());
        }
    }

    /** The level as a word of the line; empty: the board has none. */
    private static String level(Place place) {
        return place instanceof Pos pos ? " " + pos.k() : "";
    }

    private void write(String words) {
        StringBuilder line = new StringBuilder("#@ ");
        words.codePoints().limit(LONGEST).map(Draw::seen).forEach(line::appendCodePoint);
        write.accept(line.append('\n').toString());
    }

    /** Makes a space of whatever would end the line or can't be seen. */
    private static int seen(int c) {
        return Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c;
    }
}
