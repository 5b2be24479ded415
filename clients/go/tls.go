package lanista

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// security is how to speak TLS, nil for plain text. The error tells of an option
// or a variable of the environment that can't be used.
func (o *Options) security(host string) (*tls.Config, error) {
	set := os.Getenv("LANISTA_TLS")
	if set != "" && set != "0" && set != "1" && !o.TLS {
		return nil, fmt.Errorf("LANISTA_TLS must be 1 for TLS or 0 for plain text, not %q", set)
	}
	if !o.TLS && set != "1" {
		if o.TLSCA != "" {
			return nil, errors.New("TLSCA is of no use without TLS: add TLS: true")
		}
		return nil, nil
	}
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	file, whose := o.TLSCA, "TLSCA"
	if file == "" {
		file, whose = os.Getenv("LANISTA_TLS_CA"), "LANISTA_TLS_CA"
	}
	if file == "" {
		return config, nil
	}
	trusted, err := certificates(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %s %w", whose, file, err)
	}
	config.RootCAs = trusted
	return config, nil
}

// certificates reads those of a file. The error goes on after the file's name.
func certificates(file string) (*x509.CertPool, error) {
	rest, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("can't be read: %w", reason(err))
	}
	pool, empty := x509.NewCertPool(), true
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, errors.New("has a damaged certificate")
		}
		pool.AddCert(certificate)
		empty = false
	}
	if empty {
		return nil, errors.New("has no certificate in PEM")
	}
	return pool, nil
}

// secured begins to speak TLS over a connection, and checks the arena's
// certificate.
func secured(plain net.Conn, config *tls.Config) (net.Conn, error) {
	conn := tls.Client(plain, config)
	_ = plain.SetDeadline(time.Now().Add(connectTimeout))
	if err := conn.Handshake(); err != nil {
		_ = plain.Close()
		return nil, err
	}
	_ = plain.SetDeadline(time.Time{})
	return conn, nil
}

// reasonTLS is why there is no TLS with a host, in one line.
func reasonTLS(err error, host string) string {
	var notTLS tls.RecordHeaderError
	var untrusted x509.UnknownAuthorityError
	var otherName x509.HostnameError
	var invalid x509.CertificateInvalidError
	var network net.Error
	switch {
	case errors.As(err, &notTLS):
		return "the arena there speaks plain text; connect without TLS"
	case errors.As(err, &untrusted):
		return fmt.Sprintf("its certificate isn't trusted (%v); "+
			"to trust it, name a file with it or its issuer's in LANISTA_TLS_CA", untrusted)
	case errors.As(err, &otherName):
		return fmt.Sprintf("its certificate is for other names than %s; connect by one of those", host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		if invalid.Cert != nil && time.Now().Before(invalid.Cert.NotBefore) {
			return "its certificate isn't valid yet by this machine's clock"
		}
		return "its certificate has expired"
	case errors.As(err, &network) && network.Timeout():
		return "timed out"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection ended in the handshake"
	}
	return reason(err).Error()
}
