package org.lanista.client;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Speaks TLS with an arena, and checks its certificate. */
final class Tls {
    private static final Pattern CERTIFICATE =
            Pattern.compile(
                    "-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", Pattern.DOTALL);

    private final SSLSocketFactory sockets;

    private Tls(SSLSocketFactory sockets) {
        this.sockets = sockets;
    }

    /** TLS with those arenas for whose certificates an issuer vouches that the JVM trusts. */
    static Tls trustingTheJvms() {
        return new Tls((SSLSocketFactory) SSLSocketFactory.getDefault());
    }

    /**
     * TLS with those arenas for whose certificates one in a file vouches.
     *
     * @param file the certificates, in PEM
     * @param whose what named the file, for an error
     * @throws IllegalArgumentException it can't be read, or has no certificate
     */
    static Tls trusting(String file, String whose) {
        String about = whose + ": " + file;
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null);
            CertificateFactory reader = CertificateFactory.getInstance("X.509");
            // Nothing but ASCII matters here, and no byte is no character of this one.
            String text = Files.readString(Path.of(file), StandardCharsets.ISO_8859_1);
            Matcher found = CERTIFICATE.matcher(text);
            while (found.find()) {
                byte[] pem = found.group().getBytes(StandardCharsets.ISO_8859_1);
                trusted.setCertificateEntry(
                        String.valueOf(trusted.size()),
                        reader.generateCertificate(new ByteArrayInputStream(pem)));
            }
            if (trusted.size() == 0) {
                throw new OptionException(about + " has no certificate in PEM");
            }
            TrustManagerFactory managers =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return new Tls(context.getSocketFactory());
        } catch (CertificateException e) {
            throw new OptionException(about + " has a damaged certificate", e);
        } catch (IOException e) {
            String why = e instanceof NoSuchFileException ? "no such file" : e.getMessage();
            throw new OptionException(about + " can't be read: " + why, e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM can't speak TLS", e);
        }
    }

    /**
     * Begins to speak TLS over a connection.
     *
     * @param plain the connection, which the returned socket closes
     * @param timeout milliseconds for each answer of the arena in the handshake
     */
    Socket over(Socket plain, String host, int port, int timeout) throws IOException {
        SSLSocket socket = (SSLSocket) sockets.createSocket(plain, host, port, true);
        try {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS"); // check the name
            parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            socket.setSSLParameters(parameters);
            socket.setSoTimeout(timeout);
            socket.startHandshake();
            checkTime(socket.getSession());
            socket.setSoTimeout(0);
            return socket;
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw e;
        }
    }

    /** Checks when the certificate is valid, which the JVM doesn't if that itself is trusted. */
    private static void checkTime(SSLSession session) throws IOException {
        try {
            ((X509Certificate) session.getPeerCertificates()[0]).checkValidity();
        } catch (CertificateException e) {
            throw new IOException(e);
        }
    }

    /** Why there is no TLS with a host, in one line. */
    static String reason(IOException error, String host) {
        Throwable root = error;
        boolean certificate = false;
        boolean path = false;
        while (true) {
            certificate |= root instanceof CertificateException;
            path |= root instanceof CertPathBuilderException;
            path |= root instanceof CertPathValidatorException;
            if (root.getCause() == null) {
                break;
            }
            root = root.getCause();
        }
        if (root instanceof CertificateExpiredException) {
            return "its certificate has expired";
        }
        if (root instanceof CertificateNotYetValidException) {
            return "its certificate isn't valid yet by this machine's clock";
        }
        if (path) {
            return "its certificate isn't trusted (" + oneLine(root) + "); to trust it, name a file"
                    + " with it or its issuer's in LANISTA_TLS_CA";
        }
        if (certificate) { // what is checked after the path
            return "its certificate is for other names than " + host + "; connect by one of those";
        }
        if (root instanceof SocketTimeoutException) {
            return "timed out";
        }
        if (root instanceof EOFException || root instanceof SocketException) {
            return "the connection ended in the handshake";
        }
        boolean plain = root instanceof SSLException && !(root instanceof SSLHandshakeException);
        if (plain && oneLine(root).contains("SSL message")) {
            return "the arena there speaks plain text; connect without TLS";
        }
        return oneLine(root);
    }

    private static String oneLine(Throwable error) {
        String message = error.getMessage();
        return message == null ? error.toString() : message.replaceAll("\\s+", " ").strip();
    }
}
