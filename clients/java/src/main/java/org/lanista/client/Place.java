package org.lanista.client;

/** Somewhere on a board: a {@link Cell}, or a {@link Pos} of Crematoria. */
public sealed interface Place permits Cell, Pos {
    /** {@return the row, from 0 at the top} */
    int i();

    /** {@return the column, from 0 at the left} */
    int j();
}
