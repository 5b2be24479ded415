package org.lanista.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** TLS: the options and the environment, what is told when there is none, a match over it. */
final class TlsTest {
    private final Path folder;

    /** Takes certificates and their keys from a folder. */
    TlsTest(Path folder) {
        this.folder = folder;
    }

    private static ArenaBuilder bot(Map<String, String> environment) {
        return new ArenaBuilder(environment).name("A").host("127.0.0.1").port(1);
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    /** The sockets of an arena that has a certificate. */
    private ServerSocketFactory sockets(String certificate, String key)
            throws IOException, GeneralSecurityException {
        String pem = Files.readString(folder.resolve(key));
        byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        PrivateKey secret =
                KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
        Certificate shown;
        try (var input = Files.newInputStream(folder.resolve(certificate))) {
            shown = CertificateFactory.getInstance("X.509").generateCertificate(input);
        }
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setKeyEntry("arena", secret, new char[0], new Certificate[] {shown});
        KeyManagerFactory managers =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context.getServerSocketFactory();
    }

    void theEnvironmentTellsWhatTheBuilderDoesNot() {
        String ca = file("localhost.pem");
        Map<String, String> on = Map.of("LANISTA_TLS", "1", "LANISTA_TLS_CA", ca);
        Check.that(bot(on).security() != null, "TLS by the environment");
        Check.that(bot(on).tls(false).security() == null, "the builder overrides it");
        Check.that(bot(Map.of()).tls(true).security() != null, "TLS by the builder");
        Check.that(bot(Map.of("LANISTA_TLS", "no")).tls(true).security() != null, "that as well");
        for (String off : List.of("", "0")) {
            Map<String, String> set = Map.of("LANISTA_TLS", off, "LANISTA_TLS_CA", "none.pem");
            Check.that(bot(set).security() == null, "plain text by the environment");
        }
        Check.that(bot(Map.of()).tls(false).tlsCa(ca).security() == null, "asked for plain text");
    }

    void whatCanNotBeUsedIsRefusedBeforeConnecting() {
        String noPem = file("../test_tls.py");
        refused(
                bot(Map.of("LANISTA_TLS", "yes")),
                "LANISTA_TLS must be 1 for TLS or 0 for plain text, not 'yes'");
        refused(
                bot(Map.of()).tlsCa(file("localhost.pem")),
                "tlsCa is of no use without TLS: add .tls(true)");
        refused(
                bot(Map.of()).tls(true).tlsCa("no.pem"),
                "tlsCa: no.pem can't be read: no such file");
        refused(
                bot(Map.of("LANISTA_TLS_CA", "no.pem")).tls(true),
                "LANISTA_TLS_CA: no.pem can't be read: no such file");
        refused(
                bot(Map.of()).tls(true).tlsCa(noPem), "tlsCa: " + noPem + " has no certificate in PEM");
    }

    private static void refused(ArenaBuilder bot, String words) {
        OptionException e = Check.thrown(OptionException.class, () -> bot.connect());
        Check.equal(words, e.getMessage());
    }

    /** A break of the connection is one over TLS too. */
    void aMatchAndAgainAfterABreak() throws IOException, GeneralSecurityException {
        List<Double> pauses = new ArrayList<>();
        ScriptedArena.Script script =
                ScriptedArena.script()
                        .hears("A v=1\n")
                        .says(Said.WELCOME + Said.START + Said.TURN_0)
                        .hears("\n")
                        .says("turn 1\nunit")
                        .hearsNoMore()
                        .hears("A v=1\n")
                        .says(Said.WELCOME + Said.START + Said.TURN_1)
                        .hears("\n")
                        .says(Said.FORFEIT + "bye\n")
                        .hearsNoMore();
        try (ScriptedArena scripted = script.start(sockets("localhost.pem", "localhost.key"));
                Arena arena =
                        new ArenaBuilder(Map.of("LANISTA_TLS", "1"))
                                .name("A")
                                .host("localhost")
                                .port(scripted.port())
                                .tlsCa(file("localhost.pem"))
                                .reconnect(true)
                                .sleep(pauses::add)
                                .connect()) {
            List<Integer> turns = new ArrayList<>();
            for (State state : arena) {
                turns.add(state.turn());
                arena.send();
            }
            Check.equal(List.of(0, 1), turns);
            Check.equal("forfeit", arena.result().end());
            Check.equal(1, pauses.size());
        }
    }

    /** The arena's last words are read, though sending fails. */
    void whatTheArenaSaidLastIsRead() throws Exception {
        ScriptedArena.Script script =
                ScriptedArena.script()
                        .hears("A v=1\n")
                        .says(Said.WELCOME + Said.START + Said.TURN_0 + "error late x\n");
        try (ScriptedArena scripted = script.start(sockets("localhost.pem", "localhost.key"));
                Arena arena = connected(scripted.port(), "localhost.pem")) {
            Check.that(arena.iterator().hasNext(), "there is a turn");
            arena.iterator().next();
            scripted.join();
            arena.log("to nobody");
            arena.log("to nobody");
            arena.send();
            ArenaException e =
                    Check.thrown(ArenaException.class, () -> arena.iterator().hasNext());
            Check.equal("late: x", e.getMessage());
        }
    }

    private Arena connected(int port, String ca) {
        return new ArenaBuilder(Map.of())
                .name("A")
                .host("127.0.0.1")
                .port(port)
                .tls(true)
                .tlsCa(ca == null ? null : file(ca))
                .connect();
    }

    void noTlsIsToldInOneLine() throws Exception {
        String untrusted = "its certificate isn't trusted (unable to find valid certification path";
        ServerSocketFactory localhost = sockets("localhost.pem", "localhost.key");
        failing(localhost, null, untrusted);
        failing(sockets("valid.pem", "arena.key"), "localhost.pem", untrusted);
        failing(
                sockets("valid.pem", "arena.key"),
                "valid.pem",
                "its certificate is for other names than 127.0.0.1; connect by one of those");
        failing(
                sockets("localhost-expired.pem", "localhost.key"),
                "localhost-expired.pem",
                "its certificate has expired");
    }

    private void failing(ServerSocketFactory sockets, String ca, String why) throws Exception {
        try (ServerSocket listener =
                sockets.createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            failing(listener, "", ca, why);
        }
    }

    void whatSpeaksNoTlsIsToldInOneLine() throws Exception {
        for (Map.Entry<String, String> one :
                Map.of(
                        "error bad-hello a TLS handshake\n",
                        "the arena there speaks plain text; connect without TLS",
                        "",
                        "the connection ended in the handshake")
                .entrySet()) {
            try (ServerSocket listener =
                    new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                failing(listener, one.getKey(), "localhost.pem", one.getValue());
            }
        }
    }

    /** Connects to a port that says something in plain text, or else only reads. */
    private void failing(ServerSocket listener, String says, String ca, String why)
            throws Exception {
        Thread arena = new Thread(() -> serve(listener, says));
        arena.start();
        ArenaException e =
                Check.thrown(
                        ArenaException.class, () -> connected(listener.getLocalPort(), ca).close());
        arena.join();
        Check.equal("unreachable", e.code());
        String words = "no TLS with 127.0.0.1:" + listener.getLocalPort() + ": " + why;
        Check.that(e.words().startsWith(words), e.words() + " instead of " + words);
        Check.that(!e.words().contains("\n"), e.words());
    }

    private static void serve(ServerSocket listener, String says) {
        try (Socket bot = listener.accept()) {
            if (!says.isEmpty()) {
                bot.getOutputStream().write(Said.bytes(says));
            }
            bot.getInputStream().read(); // with TLS, this is the handshake
        } catch (IOException e) {
            // The bot doesn't like the certificate.
        }
    }
}
