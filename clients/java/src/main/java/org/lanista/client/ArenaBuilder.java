package org.lanista.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketOption;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * What a bot says about itself, and where the arena is.
 *
 * <p>Name, host, port and token that aren't given here are taken from the environment, which the
 * arena sets for the bots it starts: {@code LANISTA_NAME}, {@code LANISTA_HOST}, {@code
 * LANISTA_PORT}, {@code LANISTA_TOKEN}; so are {@code LANISTA_TLS} and {@code LANISTA_TLS_CA}. A
 * variable that is empty counts as unset. With {@code LANISTA_LOCAL=1}, which {@code lanista play},
 * {@code check} and tournaments set, host, port, token, TLS, room and reconnect count for nothing.
 */
public final class ArenaBuilder {
    private static final String DEFAULT_HOST = "127.0.0.1";
    private static final String DEFAULT_PORT = "7777";
    private static final int CONNECT_TIMEOUT = 10_000; // milliseconds
    private static final int LONGEST_NAME = 32; // code points

    private final Map<String, String> environment;
    private String name;
    private String game;
    private String host;
    private Integer port;
    private String token;
    private Boolean tls;
    private String tlsCa;
    private String room;
    private Integer seat;
    private boolean keep;
    private boolean notes;
    private boolean reconnect;
    private Boolean quiet;
    private Connector.Sleep sleep = seconds -> Thread.sleep((long) (1000 * seconds));

    /** Takes what it isn't told from an environment. */
    ArenaBuilder(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * Sets what the bot is called.
     *
     * @param name 1 to 32 printable characters, single spaces between, no {@code =}; null or empty:
     *     {@code LANISTA_NAME}
     * @return this builder
     */
    public ArenaBuilder name(String name) {
        this.name = name;
        return this;
    }

    /**
     * Sets the ruleset wanted.
     *
     * @param game its name; null: the arena's default
     * @return this builder
     */
    public ArenaBuilder game(String game) {
        this.game = game;
        return this;
    }

    /**
     * Sets where the arena is.
     *
     * @param host its name or address; null or empty: {@code LANISTA_HOST}, else 127.0.0.1
     * @return this builder
     */
    public ArenaBuilder host(String host) {
        this.host = host;
        return this;
    }

    /**
     * Sets the port of the arena; without it {@code LANISTA_PORT}, else 7777.
     *
     * @param port the TCP port, 1 to 65535
     * @return this builder
     */
    public ArenaBuilder port(int port) {
        this.port = port;
        return this;
    }

    /**
     * Sets the secret for this name or seat.
     *
     * @param token the secret; null or empty: {@code LANISTA_TOKEN}, else none
     * @return this builder
     */
    public ArenaBuilder token(String token) {
        this.token = token;
        return this;
    }

    /**
     * Sets whether to connect by TLS, and only to an arena whose certificate is trusted and has the
     * name that is given as its host. Without it: if {@code LANISTA_TLS} is {@code 1}.
     *
     * @param tls whether to; false: plain text, whatever the environment says
     * @return this builder
     */
    public ArenaBuilder tls(boolean tls) {
        this.tls = tls;
        return this;
    }

    /**
     * Sets which certificates to trust with TLS, instead of those that the JVM trusts.
     *
     * @param file the name of a file with them in PEM; null or empty: {@code LANISTA_TLS_CA}
     * @return this builder
     */
    public ArenaBuilder tlsCa(String file) {
        this.tlsCa = file;
        return this;
    }

    /**
     * Has the bot wait for opponents in one room only.
     *
     * @param room the room's name; null: that of those who name none
     * @return this builder
     */
    public ArenaBuilder room(String room) {
        this.room = room;
        return this;
    }

    /**
     * Asks for a seat.
     *
     * @param seat which, from 0
     * @return this builder
     */
    public ArenaBuilder seat(int seat) {
        this.seat = seat;
        return this;
    }

    /**
     * Sets whether to stay for match after match.
     *
     * @param keep whether to; else one match is all
     * @return this builder
     */
    public ArenaBuilder keep(boolean keep) {
        this.keep = keep;
        return this;
    }

    /**
     * Sets whether to be told of everything that was refused.
     *
     * @param notes whether to; else only of why a match was lost
     * @return this builder
     */
    public ArenaBuilder notes(boolean notes) {
        this.notes = notes;
        return this;
    }

    /**
     * Sets whether to connect again, for as long as it takes, when there is no connection or it
     * breaks, and to take the match up again if the arena allows it. Each attempt is told on {@code
     * System.err}. With {@link #keep keep} the iteration then ends only by an error that would come
     * again, or when the thread is interrupted in a pause.
     *
     * @param reconnect whether to
     * @return this builder
     */
    public ArenaBuilder reconnect(boolean reconnect) {
        this.reconnect = reconnect;
        return this;
    }

    /**
     * Sets whether to be silent while the bot waits; else {@code System.err} is told once, when it
     * has been waiting for an opponent for a second. Without it: silent if {@code LANISTA_QUIET} is
     * {@code 1}, as the arena sets it for the bots that it starts.
     *
     * @param quiet whether to
     * @return this builder
     */
    public ArenaBuilder quiet(boolean quiet) {
        this.quiet = quiet;
        return this;
    }

    /** Sets how pauses are made. */
    ArenaBuilder sleep(Connector.Sleep sleep) {
        this.sleep = sleep;
        return this;
    }

    /**
     * Connects and says the name.
     *
     * @return the connection
     * @throws IllegalArgumentException there is no name, or something here can't be said in a hello
     *     or used
     * @throws ArenaException {@code unreachable}
     */
    public Arena connect() {
        Waiting.handleUncaught(null);
        if (or(null, "LANISTA_LOCAL", "0").equals("1")) {
            stayHere();
        }
        String where = or(host, "LANISTA_HOST", DEFAULT_HOST);
        int at = port();
        byte[] hello = hello();
        Tls security = security();
        if (or(null, "LANISTA_STDIO", "0").equals("1")) {
            throw new ArenaException("unreachable", Waiting.STDIO, null);
        }
        Connector.Source source = () -> connection(where, at, security);
        Waiting waiting = null;
        if (!isQuiet()) {
            String said = new String(hello, StandardCharsets.UTF_8);
            waiting = new Waiting(Waiting.address(where, at), said, System.err);
        }
        Connector connector = new Connector(source, hello, reconnect, sleep);
        Arena arena = new Arena(connector, keep, waiting, game);
        Waiting.handleUncaught(arena);
        return arena;
    }

    /** Forgets all by which the bot finds another arena than the one that starts it. */
    void stayHere() {
        host = null;
        port = null;
        token = null;
        tls = null;
        tlsCa = null;
        room = null;
        reconnect = false;
    }

    /** Whether not to tell that the bot waits. */
    boolean isQuiet() {
        return quiet == null ? !or(null, "LANISTA_QUIET", "0").equals("0") : quiet;
    }

    private static Connector.Connection connection(String where, int at, Tls security) {
        boolean connected = false;
        try {
            Socket socket = open(where, at);
            connected = true;
            noticeSilence(socket);
            if (security != null) {
                socket = security.over(socket, where, at, CONNECT_TIMEOUT);
            }
            return new Connector.Connection(
                    socket.getInputStream(),
                    socket.getOutputStream(),
                    socket,
                    socket::setSoTimeout);
        } catch (IOException e) {
            boolean shaking = connected && security != null;
            String words =
                    shaking
                            ? "no TLS with " + Waiting.address(where, at) + ": " + Tls.reason(e, where)
                            : Waiting.noArena(where, at, e);
            throw new ArenaException("unreachable", words, e);
        }
    }

    /** How to speak TLS; null: plain text. */
    Tls security() {
        String set = or(null, "LANISTA_TLS", "0");
        if (tls == null && !set.equals("0") && !set.equals("1")) {
            throw new OptionException(
                    "LANISTA_TLS must be 1 for TLS or 0 for plain text, not " + Text.quoted(set));
        }
        boolean isGiven = tlsCa != null && !tlsCa.isEmpty();
        if (!(tls == null ? set.equals("1") : tls)) {
            if (isGiven && tls == null) {
                throw new OptionException(
                        "tlsCa is of no use without TLS: add .tls(true)");
            }
            return null;
        }
        String file = or(tlsCa, "LANISTA_TLS_CA", null);
        String whose = isGiven ? "tlsCa" : "LANISTA_TLS_CA";
        return file == null ? Tls.trustingTheJvms() : Tls.trusting(file, whose);
    }

    /** A connected socket, which sends small writes at once (PROTOCOL.md 1). */
    static Socket open(String host, int port) throws IOException {
        IOException failure = new IOException("no such host");
        for (InetAddress address : InetAddress.getAllByName(host)) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, port), CONNECT_TIMEOUT);
                socket.setTcpNoDelay(true);
                return socket;
            } catch (IOException e) { // the next address may be better
                failure = e;
                socket.close();
            }
        }
        throw failure;
    }

    /**
     * Has the system end the connection if the arena's machine is gone for two minutes. Otherwise a
     * bot that waits for its next match would wait for ever.
     */
    private static void noticeSilence(Socket socket) throws IOException {
        socket.setKeepAlive(true);
        Map<SocketOption<Integer>, Integer> options =
                Map.of(
                        ExtendedSocketOptions.TCP_KEEPIDLE, 60,
                        ExtendedSocketOptions.TCP_KEEPINTERVAL, 20,
                        ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
        for (Map.Entry<SocketOption<Integer>, Integer> option : options.entrySet()) {
            if (socket.supportedOptions().contains(option.getKey())) {
                socket.setOption(option.getKey(), option.getValue());
            }
        }
    }

    /** The line that opens the conversation (PROTOCOL.md 2). */
    byte[] hello() {
        String said = or(name, "LANISTA_NAME", "");
        if (said.isEmpty()) {
            throw new OptionException(
                    "the bot has no name: write Arena.builder(\"MyBot\") or set LANISTA_NAME");
        }
        if (!isName(said)) {
            throw new OptionException(
                    "a name is 1 to 32 printable characters, single spaces between, no '=': not "
                            + Text.quoted(said));
        }
        StringBuilder line = new StringBuilder(said).append(" v=1");
        option(line, "game", game);
        option(line, "room", room);
        option(line, "seat", seat == null ? null : seat.toString());
        option(line, "token", or(token, "LANISTA_TOKEN", null));
        option(line, "keep", keep ? "1" : null);
        option(line, "notes", notes ? "1" : null);
        return line.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The port to connect to. */
    int port() {
        String text = or(port == null ? null : port.toString(), "LANISTA_PORT", DEFAULT_PORT);
        int number;
        try {
            number = Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            number = -1;
        }
        if (number < 1 || number > 0xFFFF) {
            throw new OptionException(
                    (port == null ? "LANISTA_PORT" : "port")
                            + " must be a port number from 1 to 65535, such as 7777, not "
                            + (port == null ? Text.quoted(text) : text));
        }
        return number;
    }

    private String or(String given, String variable, String otherwise) {
        if (given != null && !given.isEmpty()) {
            return given;
        }
        String set = environment.get(variable);
        return set != null && !set.isEmpty() ? set : otherwise;
    }

    private static boolean isName(String name) {
        return Text.isPrintable(name)
                && !name.startsWith(" ")
                && !name.endsWith(" ")
                && !name.contains("  ")
                && name.indexOf('=') < 0
                && name.codePointCount(0, name.length()) <= LONGEST_NAME;
    }

    private static void option(StringBuilder line, String key, String value) {
        if (value == null) {
            return;
        }
        if (value.isEmpty() || value.indexOf(' ') >= 0 || !Text.isPrintable(value)) {
            String given = key.equals("token") ? "" : ", not " + Text.quoted(value); // a secret
            throw new OptionException(
                    key + " must be one printable word without spaces" + given);
        }
        line.append(' ').append(key).append('=').append(value);
    }
}
