package lanista_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lanista"
	. "lanista/internal/arenatest"
)

// identity is a certificate that nobody else has signed, and the file of it.
type identity struct {
	config *tls.Config
	file   string
}

// identityOf makes one of a name or an address, valid from one time to another,
// both counted from now.
func identityOf(t *testing.T, host string, since, until time.Duration) identity {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotBefore:             time.Now().Add(since),
		NotAfter:              time.Now().Add(until),
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	if address := net.ParseIP(host); address != nil {
		template.IPAddresses = []net.IP{address}
	} else {
		template.DNSNames = []string{host}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	certificate := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return identity{&tls.Config{Certificates: []tls.Certificate{certificate}}, file}
}

// A break of the connection is one over TLS too, and small writes go at once.
func TestMatchOverTLSAndAgainAfterABreak(t *testing.T) {
	pauses := noPauses(t)
	own := identityOf(t, "127.0.0.1", -time.Hour, time.Hour)
	served := ServeTLS(t, own.config,
		HearsHello("A v=1\n"), Says(Welcome+Start+Turn0), Hears("\n"), Says(Turn1[:9]), AcceptsAgain(),
		HearsHello("A v=1\n"), Says(Welcome+Start+Turn1), Hears("\n"), Says(Forfeit+"bye\n"))
	arena := connected(t, lanista.Options{Name: "A", Port: served.Port, TLS: true, TLSCA: own.file, Reconnect: true})
	var turns []int
	for arena.Next() {
		turns = append(turns, arena.State().Turn)
		arena.Send()
	}
	Equal(t, "the error", arena.Err(), nil)
	Equal(t, "the turns", turns, []int{0, 1})
	Equal(t, "the end", arena.Result().End, "forfeit")
	Equal(t, "pauses", len(*pauses), 1)
	_ = arena.Close()
}

// What the arena said before it closed is read, though sending fails.
func TestWhatTheArenaSaidLastOverTLSIsRead(t *testing.T) {
	own := identityOf(t, "localhost", -time.Hour, time.Hour)
	closed := make(chan struct{})
	served := ServeTLS(t, own.config, HearsHello("A v=1\n"), Says(Welcome+Start+Turn0+"error late x\n"),
		CloseNow(), Does(func() { close(closed) }))
	arena := connected(t, lanista.Options{Name: "A", Host: "localhost", Port: served.Port, TLS: true, TLSCA: own.file})
	if !arena.Next() {
		t.Fatal(arena.Err())
	}
	<-closed
	arena.Log("to nobody")
	arena.Log("to nobody")
	arena.Send()
	Equal(t, "a turn", arena.Next(), false)
	Equal(t, "the error", fmt.Sprint(arena.Err()), "late: x")
	_ = arena.Close()
	_ = served.Heard()
}

func TestTheEnvironmentTellsOfTLS(t *testing.T) {
	own := identityOf(t, "127.0.0.1", -time.Hour, time.Hour)
	served := ServeTLS(t, own.config, HearsHello("E v=1\n"), Says("error shutdown\n"))
	for name, value := range map[string]string{
		"NAME": "E", "PORT": fmt.Sprint(served.Port), "TLS": "1", "TLS_CA": own.file,
	} {
		t.Setenv("LANISTA_"+name, value)
	}
	arena := connected(t, lanista.Options{})
	Equal(t, "a turn", arena.Next(), false)
	Equal(t, "the error", fmt.Sprint(arena.Err()), "shutdown")
}

// Without TLS the environment's file says nothing.
func TestWithoutTLSTextIsPlain(t *testing.T) {
	for _, set := range []string{"", "0"} {
		served := Say(t, "error shutdown\n")
		t.Setenv("LANISTA_TLS", set)
		t.Setenv("LANISTA_TLS_CA", "none.pem")
		arena := connected(t, lanista.Options{Name: "A", Port: served.Port})
		Equal(t, "a turn", arena.Next(), false)
		Equal(t, "the error", fmt.Sprint(arena.Err()), "shutdown")
		_ = arena.Close()
	}
}

func TestWhatCanNotBeUsedForTLSIsRefusedBeforeConnecting(t *testing.T) {
	noCertificate := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(noCertificate, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		options lanista.Options
		set, ca string
		words   string
	}{
		{lanista.Options{}, "yes", "", `LANISTA_TLS must be 1 for TLS or 0 for plain text, not "yes"`},
		{lanista.Options{TLSCA: "ca.pem"}, "", "", "TLSCA is of no use without TLS: add TLS: true"},
		{lanista.Options{TLSCA: "no.pem"}, "1", "", "TLSCA: no.pem can't be read: no such file or directory"},
		{lanista.Options{TLS: true}, "", "no.pem", "LANISTA_TLS_CA: no.pem can't be read: no such file or directory"},
		{lanista.Options{TLS: true, TLSCA: noCertificate}, "", "", "TLSCA: " + noCertificate + " has no certificate in PEM"},
	} {
		NoEnvironment(t)
		t.Setenv("LANISTA_TLS", c.set)
		t.Setenv("LANISTA_TLS_CA", c.ca)
		c.options.Name, c.options.Port = "A", 1
		_, err := lanista.Connect(c.options)
		var told *lanista.Error
		if fmt.Sprint(err) != c.words || errors.As(err, &told) {
			t.Errorf("%v instead of %s", err, c.words)
		}
	}
}

func TestNoTLSIsToldInOneLine(t *testing.T) {
	own := identityOf(t, "127.0.0.1", -time.Hour, time.Hour)
	untrusted := "its certificate isn't trusted (x509: certificate signed by unknown authority"
	for _, c := range []struct {
		arena identity
		ca    string // another file than the arena's own
		words string
	}{
		{own, identityOf(t, "127.0.0.1", -time.Hour, time.Hour).file, untrusted},
		{identityOf(t, "arena.example", -time.Hour, time.Hour), "",
			"its certificate is for other names than 127.0.0.1; connect by one of those"},
		{identityOf(t, "127.0.0.1", -2*time.Hour, -time.Hour), "", "its certificate has expired"},
		{identityOf(t, "127.0.0.1", time.Hour, 2*time.Hour), "", "its certificate isn't valid yet by this machine's clock"},
	} {
		served := ServeTLS(t, c.arena.config)
		if c.ca == "" {
			c.ca = c.arena.file
		}
		refused(t, served, c.ca, c.words)
	}
	refused(t, Serve(t, Says("error bad-hello a TLS handshake\n")), own.file,
		"the arena there speaks plain text; connect without TLS")
	refused(t, Serve(t, CloseNow()), own.file, "the connection ended in the handshake")
}

// refused fails the test if there is TLS, or if the error doesn't begin so.
func refused(t *testing.T, served *Arena, ca, why string) {
	t.Helper()
	_, err := lanista.Connect(lanista.Options{Name: "A", Port: served.Port, TLS: true, TLSCA: ca})
	words := fmt.Sprintf("unreachable: no TLS with 127.0.0.1:%d: %s", served.Port, why)
	if text := fmt.Sprint(err); !strings.HasPrefix(text, words) || strings.Contains(text, "\n") {
		t.Errorf("%v instead of %s", err, words)
	}
	_ = served.Heard() // the beginning of a handshake
}
