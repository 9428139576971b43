package gateway

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// With an own certificate the public address has TLS, and the other one leads to it.
func TestOwnCertificate(t *testing.T) {
	t.Parallel()
	plain, directory := freeAddr(t), newBackend(t, "directory")
	p := startGateway(t, setup{directory: servers(directory), env: []string{
		"GATEWAY_TLS=certificate", "GATEWAY_CERTIFICATE=" + writeCertificate(t), "GATEWAY_PLAIN_ADDR=" + plain,
	}})
	got := p.get(t, "/api/oauth/status")
	if proto := got.echoed(t).Header.Get("X-Forwarded-Proto"); proto != "https" ||
		got.header.Get("Strict-Transport-Security") == "" {
		t.Errorf("with TLS: X-Forwarded-Proto %q, %v", proto, got.header)
	}
	got = sendAs(t, p.client, "GET", "http://"+plain+"/konto", "")
	if got.status != http.StatusMovedPermanently || got.header.Get("Location") != "https://127.0.0.1/konto" {
		t.Errorf("without TLS: %d to %q", got.status, got.header.Get("Location"))
	}
}

// writeCertificate writes the certificate of net/http/httptest, and returns its path without
// .crt and .key.
func writeCertificate(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	certificate := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tls")
	for file, block := range map[string]*pem.Block{
		path + ".crt": {Type: "CERTIFICATE", Bytes: certificate.Certificate[0]},
		path + ".key": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}
