package org.lanista.client;

/**
 * A position on a board of two levels, ordered by row, column, level.
 *
 * @param i the row, from 0 at the top
 * @param j the column, from 0 at the left
 * @param k the level: 0 underground, 1 outside
 */
public record Pos(int i, int j, int k) implements Place, Comparable<Pos> {
    /**
     * {@return whether the other object is this position}
     *
     * @param other what to compare with
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Pos pos && i == pos.i && j == pos.j && k == pos.k;
    }

    /** {@return a hash that differs for all positions of a board of up to 257 columns} */
    @Override
    public int hashCode() {
        return 2 * (257 * i + j) + k;
    }

    /** {@return the position as {@code (i, j, k)}} */
    @Override
    public String toString() {
        return "(" + i + ", " + j + ", " + k + ")";
    }

    @Override
    public int compareTo(Pos other) {
        if (i != other.i) {
            return Integer.compare(i, other.i);
        }
        return j != other.j ? Integer.compare(j, other.j) : Integer.compare(k, other.k);
    }
}
