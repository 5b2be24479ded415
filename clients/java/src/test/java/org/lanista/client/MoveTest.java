package org.lanista.client;

import java.util.List;

/** What a submove is, and what is none. */
final class MoveTest {
    void aMoveIsWrittenWithSingleSpaces() {
        Check.equal("2 1 1 0", Move.of(2, 1, 1, 0).toString());
        Check.equal("0 0 -1 3", Move.of(0, 0, -1, 3).toString());
        Check.equal("-2147483648", Move.of(Integer.MIN_VALUE).toString());
        Check.equal("m 4 2", Move.of('m', 4, 2).toString());
        Check.equal("m", Move.of('m').toString());
        Check.equal("4 u 7", Move.parse("4 u 7").toString());
        Check.equal(Move.of('m', 4, 2), Move.parse("m 4 2"));
        Check.equal(Move.of('m', 4, 2).hashCode(), Move.parse("m 4 2").hashCode());
    }

    /** It could become a second answer, or none. */
    void whatIsNoMoveIsRefused() {
        for (String text :
                List.of("", " ", "1\n1", "# log", "1  2", "1 2 ", "ab", "+1", "1.0", "é")) {
            IllegalArgumentException e =
                    Check.thrown(IllegalArgumentException.class, () -> Move.parse(text));
            Check.that(
                    e.getMessage().startsWith("not integers and letters of the game: '"),
                    e.getMessage());
        }
        for (char letter : new char[] {'#', ' ', '\n', '1', 'é'}) {
            Check.thrown(IllegalArgumentException.class, () -> Move.of(letter, 1));
        }
        IllegalArgumentException e = Check.thrown(IllegalArgumentException.class, () -> Move.of());
        Check.that(e.getMessage().contains("at least one number"), e.getMessage());
    }

    /** PROTOCOL.md 5: what each game's submoves are made of. */
    void theGamesMakeTheirOwn() {
        Cell cell = new Cell(2, 1);
        Check.equal(Move.of(2, 1, 9, 3),
                AngryMobState.move(cell, 9, AngryMobState.Direction.DOWN));
        Check.equal(Move.parse("m 12 5"), HogwartsState.move(12, HogwartsState.Direction.UL));
        Check.equal(Move.parse("s 3 0 0 4"), HogwartsState.spell(3, 0, 0, 4));
        Check.equal(Move.of(12, 8), CrematoriaState.move(12, CrematoriaState.Direction.UP));
        Check.equal(Move.of(12, 10), CrematoriaState.move(12, CrematoriaState.Direction.NONE));
    }

    void cellsAreOrderedByRowAndColumn() {
        Check.that(new Cell(1, 9).compareTo(new Cell(2, 0)) < 0, "rows first");
        Check.that(new Cell(1, 9).compareTo(new Cell(1, 10)) < 0, "then columns");
        Check.that(new Pos(1, 9, 1).compareTo(new Pos(1, 10, 0)) < 0, "columns of two levels");
        Check.that(new Pos(1, 9, 0).compareTo(new Pos(1, 9, 1)) < 0, "then levels");
        Check.equal("(1, 9)", new Cell(1, 9).toString());
        Check.equal("(1, 9, 0)", new Pos(1, 9, 0).toString());
    }
}
