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
	plain := freeAddr(t)
	p, _, _ := startWithServices(t, "GATEWAY_TLS=certificate", "GATEWAY_CERTIFICATE="+path, "GATEWAY_PLAIN_ADDR="+plain)
	got := p.get(t, "/api/oauth/status")
	if proto := got.echoed(t).Header.Get("X-Forwarded-Proto"); proto != "https" {
		t.Errorf("with TLS: X-Forwarded-Proto %q", proto)
	}
	if got.header.Get("Strict-Transport-Security") == "" {
		t.Error("with TLS: no Strict-Transport-Security")
	}
	got = sendAs(t, p.client, "GET", "http://"+plain+"/konto", "")
	if got.status != http.StatusMovedPermanently || got.header.Get("Location") != "https://127.0.0.1/konto" {
		t.Errorf("without TLS: %d to %q", got.status, got.header.Get("Location"))
	}
}
