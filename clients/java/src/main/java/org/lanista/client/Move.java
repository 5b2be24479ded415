package org.lanista.client;

import java.util.regex.Pattern;

/**
 * A submove: the integers and letters that say one thing to do, as the rules of the game have them.
 *
 * <p>{@code Move.of(i, j, k, d)} in Angry Mob, {@code Move.of('m', id, d)} in Hogwarts. The states
 * of the games make them from more telling arguments.
 */
public final class Move {
    private final String tokens;

    private Move(String tokens) {
        this.tokens = tokens;
    }

    /**
     * Makes a submove of integers.
     *
     * @param numbers one or more
     * @return the submove
     * @throws IllegalArgumentException there is none
     */
    public static Move of(int... numbers) {
        if (numbers.length == 0) {
            throw new IllegalArgumentException(
                    "a submove has at least one number; to do nothing, send no submoves");
        }
        return new Move(append(new StringBuilder(), numbers).toString());
    }

    /**
     * Makes a submove of a letter and integers.
     *
     * @param letter one of A to Z and a to z
     * @param numbers what follows it
     * @return the submove
     * @throws IllegalArgumentException it is no letter
     */
    public static Move of(char letter, int... numbers) {
        if (!isLetter(letter)) {
            throw new IllegalArgumentException(
                    "not a letter of the game: " + Text.quoted(String.valueOf(letter)));
        }
        return new Move(append(new StringBuilder().append(letter), numbers).toString());
    }

    /**
     * Takes a submove as it is written on the wire, such as {@code "m 4 2"}.
     *
     * @param text integers and single letters, one space between two
     * @return the submove
     * @throws IllegalArgumentException it is something else
     */
    public static Move parse(String text) {
        if (!Written.FORM.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "not integers and letters of the game: " + Text.quoted(text));
        }
        return new Move(text);
    }

    /**
     * {@return whether the other object is a submove written alike}
     *
     * @param other what to compare with
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Move move && tokens.equals(move.tokens);
    }

    /** {@return a hash of how it is written} */
    @Override
    public int hashCode() {
        return tokens.hashCode();
    }

    /** {@return the submove as it is written on the wire} */
    @Override
    public String toString() {
        return tokens;
    }

    private static StringBuilder append(StringBuilder line, int[] numbers) {
        for (int number : numbers) {
            if (line.length() > 0) {
                line.append(' ');
            }
            line.append(number);
        }
        return line;
    }

    private static boolean isLetter(char letter) {
        return letter >= 'a' && letter <= 'z' || letter >= 'A' && letter <= 'Z';
    }

    /** Loaded by the first {@link #parse} alone, for most bots never call it. */
    private static final class Written {
        private static final String TOKEN = "(?:-?[0-9]{1,10}|[A-Za-z])";
        static final Pattern FORM = Pattern.compile(TOKEN + "(?: " + TOKEN + ")*");
    }
}
