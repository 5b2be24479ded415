package org.lanista.client;

/**
 * A cell of a board, ordered by row, then by column.
 *
 * @param i the row, from 0 at the top
 * @param j the column, from 0 at the left
 */
public record Cell(int i, int j) implements Place, Comparable<Cell> {
    /**
     * {@return whether the other object is this cell}
     *
     * @param other what to compare with
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Cell cell && i == cell.i && j == cell.j;
    }

    /** {@return a hash that differs for all cells of a board of up to 257 columns} */
    @Override
    public int hashCode() {
        return 257 * i + j;
    }

    /** {@return the cell as {@code (i, j)}} */
    @Override
    public String toString() {
        return "(" + i + ", " + j + ")";
    }

    @Override
    public int compareTo(Cell other) {
        return i != other.i ? Integer.compare(i, other.i) : Integer.compare(j, other.j);
    }
}
