package org.lanista.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** What the client says first, and from where it knows it (PROTOCOL.md 2). */
final class HelloTest {
    private static final Map<String, String> SET =
            Map.of(
                    "LANISTA_NAME", "E",
                    "LANISTA_HOST", "127.0.0.1",
                    "LANISTA_PORT", "99",
                    "LANISTA_TOKEN", "t");
    private static final Map<String, String> EMPTY =
            Map.of(
                    "LANISTA_NAME", "",
                    "LANISTA_HOST", "",
                    "LANISTA_PORT", "",
                    "LANISTA_TOKEN", "");

    private static ArenaBuilder bot(String name) {
        return new ArenaBuilder(Map.of()).name(name);
    }

    private static String hello(ArenaBuilder bot) {
        return new String(bot.hello(), StandardCharsets.UTF_8);
    }

    /** What it says of another arena counts for nothing; what it says of itself does. */
    void aBotStartedByLanistaStaysWithIt() {
        ArenaBuilder bot =
                new ArenaBuilder(SET).name("A").host("other").port(1).token("u").room("pit").tls(true);
        bot.stayHere();
        Check.equal("A v=1 token=t\n", hello(bot));
        Check.equal(99, bot.port());
        Check.equal(null, bot.security());
    }

    void itSaysNameAndOptions() {
        Check.equal("CamperJoe v=1\n", hello(bot("CamperJoe")));
        Check.equal("Ann Lee v=1 game=angrymob\n", hello(bot("Ann Lee").game("angrymob")));
        Check.equal(
                "A v=1 game=crematoria room=cup-3 seat=0 token=9f=\n",
                hello(bot("A").game("crematoria").room("cup-3").seat(0).token("9f=")));
        Check.equal("Zoë v=1 keep=1 notes=1\n", hello(bot("Zoë").keep(true).notes(true)));
        Check.equal("A v=1\n", hello(bot("A").keep(false).notes(false)));
        String longest = "\uD83D\uDC0D".repeat(32);
        Check.equal(longest + " v=1\n", hello(bot(longest)));
    }

    void theEnvironmentTellsWhatTheBuilderDoesNot() {
        ArenaBuilder bot = new ArenaBuilder(SET);
        Check.equal("E v=1 token=t\n", hello(bot));
        Check.equal(99, bot.port());
    }

    void theBuilderOverridesTheEnvironment() {
        ArenaBuilder bot = new ArenaBuilder(SET).name("A").port(1).token("u");
        Check.equal("A v=1 token=u\n", hello(bot));
        Check.equal(1, bot.port());
    }

    void emptyVariablesSayNothing() {
        ArenaBuilder bot = new ArenaBuilder(EMPTY).name("A");
        Check.equal("A v=1\n", hello(bot));
        Check.equal(7777, bot.port());
        Check.equal(7777, bot("A").port());
    }

    void whatNoHelloCanSayIsRefusedBeforeConnecting() {
        refused(bot(null), "the bot has no name: write Arena.builder(\"MyBot\")");
        refused(new ArenaBuilder(EMPTY).name(""), "the bot has no name");
        refused(bot("a=b"), "'a=b'");
        refused(bot("two\nlines"), "'two\\u{a}lines'");
        refused(bot("two  spaces"), "single spaces");
        refused(bot(" A"), "single spaces");
        refused(bot("A "), "single spaces");
        refused(bot("a\u00a0b"), "'a\\u{a0}b'");
        refused(bot("x".repeat(33)), "1 to 32");
        refused(bot("A").room("cup 3"), "room must be one printable word without spaces");
        refused(bot("A").room(""), "room must be");
        refused(bot("A").game(""), "game must be");
        refused(bot("A").token("t\n"), "token must be");
        refused(bot("A").token("my secret"), "token must be");
        String port = "port must be a port number from 1 to 65535, such as 7777, not ";
        refused(bot("A").port(70_000), port + "70000");
        refused(bot("A").port(0), port + "0");
    }

    private static void refused(ArenaBuilder bot, String words) {
        // Nobody listens at port 1 of that address: connecting first would be another error.
        OptionException e =
                Check.thrown(OptionException.class, () -> bot.host("127.0.0.1").connect());
        Check.that(e.getMessage().contains(words), e.getMessage());
        Check.that(!e.getMessage().contains("\n"), e.getMessage());
        Check.that(!e.getMessage().contains("secret"), e.getMessage());
    }

    void aPortThatIsNoNumberIsNamed() {
        ArenaBuilder bot = new ArenaBuilder(Map.of("LANISTA_NAME", "A", "LANISTA_PORT", "http"));
        OptionException e = Check.thrown(OptionException.class, () -> bot.connect());
        Check.equal(
                "LANISTA_PORT must be a port number from 1 to 65535, such as 7777, not 'http'",
                e.getMessage());
    }

    /** PROTOCOL.md 1: both sides set TCP_NODELAY. */
    void smallWritesGoAtOnce() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket socket = ArenaBuilder.open("127.0.0.1", listener.getLocalPort())) {
            Check.that(socket.getTcpNoDelay(), "TCP_NODELAY is set");
        }
    }

    void noArenaIsToldInOneLine() throws IOException {
        int port;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = listener.getLocalPort();
        }
        ArenaException e =
                Check.thrown(ArenaException.class, () -> bot("A").port(port).connect());
        Check.equal("unreachable", e.code());
        Check.equal(
                "unreachable: no arena at 127.0.0.1:" + port + "; start one with `lanista serve`",
                e.getMessage());
    }

    /** Names are looked up, and every address of one is tried; the environment tells the rest. */
    void aMatchThatTheEnvironmentLedTo() throws IOException {
        try (ScriptedArena scripted =
                ScriptedArena.script()
                        .hears("E v=1 token=t\n")
                        .says("error bad-token no\n")
                        .start()) {
            Map<String, String> environment =
                    Map.of(
                            "LANISTA_NAME", "E",
                            "LANISTA_HOST", "localhost",
                            "LANISTA_PORT", String.valueOf(scripted.port()),
                            "LANISTA_TOKEN", "t",
                            "LANISTA_LOCAL", "1");
            try (Arena arena = new ArenaBuilder(environment).port(1).connect()) {
                ArenaException e =
                        Check.thrown(ArenaException.class, () -> arena.iterator().hasNext());
                Check.equal(List.of("bad-token", "no"), List.of(e.code(), e.words()));
            }
        }
    }
}
