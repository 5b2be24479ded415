package org.lanista.client;

import java.nio.charset.StandardCharsets;

/** What arenas say in the tests, as text or as bytes. */
final class Said {
    static final String WELCOME = "welcome 1 lanista 0.1.0\nwait 1 2\n";

    /** The map of the rules' example, as seat 0 is told it (PROTOCOL.md 5). */
    static final String START =
            """
            start 01JDEXAMPLE
            game angrymob
            seat 0
            player 0 Ann Lee
            player 1 Böb
            clock 20 0.2
            seed 52011
            set move_limit 2400
            size 6 7
            base 0 2 1
            base 1 3 5
            row 0 . 1 . . # # 2
            row 1 # 1 1 . 3 . 1
            row 2 . A . # # . .
            row 3 . . # # . B .
            row 4 1 . 3 . 1 1 #
            row 5 2 # # . . 1 .
            """;

    static final String TURN_0 = "turn 0\nunit 2 1 0 1\nunit 3 5 1 1\ntotal 0 1\ntotal 1 1\ngo\n";

    static final String TURN_1 =
            """
            turn 1
            moved 0 2 1 1 1
            moved 1 3 5 1 3
            unit 1 1 0 2
            unit 4 5 1 2
            neutral 1 1 0
            neutral 4 5 0
            total 0 2
            total 1 2
            go
            """;

    static final String FORFEIT = "end forfeit\nrank 0 1\nrank 1 2\nscore 0 2\nscore 1 2\n";

    static final String MATCH = WELCOME + START + TURN_0 + TURN_1 + FORFEIT + "bye\n";

    private static final String FOUR =
            """
            start 01JDFOUR
            seat 1
            player 0 Ann Lee
            player 1 Bob
            player 2 C
            player 3 D
            clock 20 0.2
            seed 52011
            """;

    /** A board by hand, smaller than any in play: what a state does with it is seen at a glance. */
    static final String HOGWARTS_START =
            FOUR
                    + """
                    game hogwarts
                    set NUM_PLAYERS 4
                    set NUM_ROUNDS 200
                    set POINTS_FOR_CONVERTING_WIZARD 100
                    set original 0
                    size 6 8
                    row 0 ........
                    row 1 .WW.....
                    row 2 ........
                    row 3 ........
                    row 4 ....W...
                    row 5 ........
                    """;

    static final String HOGWARTS_TURN =
            """
            turn 7
            own 0 11......
            own 1 .WW.....
            own 2 .1....3.
            own 3 2...0...
            own 4 ....W...
            own 5 .....3..
            unit 0 g 0 3 4 53 -1
            unit 1 g 1 0 0 53 5
            unit 2 g 2 3 0 0 -1
            unit 3 g 3 2 6 53 -1
            unit 4 w 3 5 5 0 -1
            unit 5 w 1 0 1 0 -1
            unit 6 w 1 2 1 3 2
            book 0 3
            book 5 0
            voldemort 3 7
            spell 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
            strength 1000 1000 1050 0
            score 101 3 -1 2
            status 0 0.25 -1 0.0125
            go
            """;

    static final String CREMATORIA_START =
            FOUR
                    + """
                    game crematoria
                    set nb_players 4
                    set nb_rounds 120
                    set gem_value 30
                    size 5 8
                    elevator 2 6
                    elevator 2 1
                    row 0 RRRRRRRR
                    row 1 CCCRRCCC
                    row 2 CECRRCEC
                    row 3 CCCRCCCC
                    row 4 RRRRRRRR
                    """;

    /** Round 1: the night is columns 2 to 5 of 8, the sun from column 6 on. */
    static final String CREMATORIA_TURN =
            """
            turn 1
            own 0 RRRRRRRR
            own 1 1CCRRCC3
            own 2 1ECRRCE3
            own 3 C1CRC2CC
            own 4 RRRRRRRR
            gem 4 2
            gem 0 5
            unit 0 f 1 100 -1 1 0 0
            unit 1 p 1 50 -1 3 1 0
            unit 2 p 3 15 -1 2 7 0
            unit 3 p 2 50 -1 2 4 1
            unit 4 n -1 75 0 0 3 1
            unit 5 n -1 75 2 3 4 1
            unit 6 h -1 -1 -1 3 4 0
            sun 6
            cells 0 3 1 2
            gems 0 1 0 2
            score 0 33 1 62
            status 0 0.25 -1 0.0125
            go
            """;

    private Said() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
