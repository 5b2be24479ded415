package org.lanista.client;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** What a person who starts a bot reads: that it waits. */
final class WaitingTest {
    private static final String MATCH = Said.START + Said.TURN_0 + Said.FORFEIT + "bye\n";
    private static final String TOLD =
            "lanista: waiting for an opponent at 127.0.0.1:7777 (game angrymob, room lab, 1 of 2"
                    + " seats taken); the arena's page, whose address `lanista serve` prints, shows"
                    + " who is there"
                    + System.lineSeparator();

    /** Plays a match over a wire; what is told meanwhile. */
    private static String told(Wire wire) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Waiting waiting =
                new Waiting(
                        "127.0.0.1:7777",
                        "A v=1 game=angrymob room=lab token=t\n",
                        new PrintStream(err, true, StandardCharsets.UTF_8));
        Connector connector = new Connector(wire::connection, new byte[0], false, null);
        try (Arena arena = new Arena(connector, false, waiting, null)) {
            for (State state : arena) {
                arena.send();
            }
            Check.equal("forfeit", arena.result().end());
        }
        return err.toString(StandardCharsets.UTF_8);
    }

    void aBotThatWaitsForASecondSaysSoOnce() {
        Wire wire = Wire.of(Said.WELCOME).silence();
        wire.add(Said.bytes("wait 1 2\n")).add(Said.bytes(MATCH));
        Check.equal(TOLD, told(wire));
        Check.equal(List.of(Waiting.SILENCE, 0), wire.waits);
    }

    void aMatchThatBeginsAtOnceIsPlayedInSilence() {
        Check.equal("", told(Wire.of(Said.WELCOME, MATCH)));
        Check.equal("", told(Wire.of(Said.WELCOME + MATCH)));
        Check.equal("", told(Wire.byteByByte(Said.WELCOME + MATCH)));
    }

    void theOptionGoesBeforeTheEnvironment() {
        Check.that(new ArenaBuilder(Map.of("LANISTA_QUIET", "1")).isQuiet(), "1");
        Check.that(!new ArenaBuilder(Map.of("LANISTA_QUIET", "0")).isQuiet(), "0");
        Check.that(!new ArenaBuilder(Map.of()).isQuiet(), "not set");
        Check.that(new ArenaBuilder(Map.of()).quiet(true).isQuiet(), "the option");
        Check.that(!new ArenaBuilder(Map.of("LANISTA_QUIET", "1")).quiet(false).isQuiet(), "both");
    }
}
