package org.lanista.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lines of the arena by their keyword: those that describe a match, or those of a turn.
 *
 * <p>Their order says nothing (PROTOCOL.md 3), so nobody looks at one before all have come. What
 * isn't as the protocol has it ends in a {@link RuntimeException}, of which {@link Arena} makes the
 * error {@code unreadable}.
 */
final class Facts {
    private final Map<String, List<List<String>>> lines = new LinkedHashMap<>();

    /** Takes a line; its first word is the keyword. */
    void add(String[] words) {
        List<List<String>> alike = lines.get(words[0]);
        if (alike == null) {
            alike = new ArrayList<>();
            lines.put(words[0], alike);
        }
        List<String> line = new ArrayList<>(words.length - 1);
        for (int word = 1; word < words.length; word++) {
            line.add(words[word]);
        }
        alike.add(line);
    }

    /** All lines, for who plays by them. */
    Map<String, List<List<String>>> asMap() {
        return Collections.unmodifiableMap(lines);
    }

    /** The words of each line of a keyword, without it; none if there is no such line. */
    List<List<String>> all(String keyword) {
        List<List<String>> alike = lines.get(keyword);
        return alike == null ? List.of() : alike;
    }

    /** The words of the line of a keyword. */
    List<String> only(String keyword) {
        List<List<String>> alike = lines.get(keyword);
        if (alike == null) {
            throw new IllegalArgumentException("no line " + keyword);
        }
        return alike.get(0);
    }

    /** The numbers of the line of a keyword, which must be so many. */
    List<Integer> integers(String keyword, int count) {
        List<Integer> numbers = new ArrayList<>();
        for (String word : only(keyword)) {
            numbers.add(Integer.valueOf(word));
        }
        require(numbers.size() == count, "another number of words after " + keyword);
        return Collections.unmodifiableList(numbers);
    }

    /** The same, with what may follow the point. */
    List<Double> decimals(String keyword, int count) {
        List<Double> numbers = new ArrayList<>();
        for (String word : only(keyword)) {
            numbers.add(Double.valueOf(word));
        }
        require(numbers.size() == count, "another number of words after " + keyword);
        return Collections.unmodifiableList(numbers);
    }

    /** Lines whose first word is a number, a seat or a row, in its order; the words after it. */
    Iterable<List<String>> numbered(String keyword) {
        Map<Integer, List<String>> numbered = new TreeMap<>();
        for (List<String> line : all(keyword)) {
            numbered.put(Integer.valueOf(line.get(0)), line.subList(1, line.size()));
        }
        return numbered.values();
    }

    /** Lines of a row and its cells as one word each, by row; all rows must be there. */
    List<String> board(String keyword, int rows, int cols) {
        List<String> board = new ArrayList<>();
        for (List<String> line : numbered(keyword)) {
            board.add(line.get(0));
            if (line.get(0).length() != cols) {
                throw new IllegalArgumentException("a row " + keyword + " of another length");
            }
        }
        if (board.size() != rows) {
            throw new IllegalArgumentException("not all rows " + keyword);
        }
        return Collections.unmodifiableList(board);
    }

    /** The cells that lines of a row and a column name, in their order. */
    List<Cell> cells(String keyword) {
        List<Cell> cells = new ArrayList<>();
        for (List<String> line : all(keyword)) {
            cells.add(new Cell(integer(line, 0), integer(line, 1)));
        }
        Collections.sort(cells);
        return Collections.unmodifiableList(cells);
    }

    /** Throws unless that is so. */
    static void require(boolean so, String otherwise) {
        if (!so) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** A word of a line as a number. */
    static int integer(List<String> line, int word) {
        return Integer.parseInt(line.get(word));
    }

    /** The words of a line from one on, as they were sent. */
    static String rest(List<String> line, int from) {
        return String.join(" ", line.subList(from, line.size()));
    }
}
