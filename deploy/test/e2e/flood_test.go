package e2e

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestFaultsFloodOfLogins sends wrong passwords on 600 connections from one IPv6 /48, each of
// another /64. An owner who logs in from elsewhere waits less than 2 s.
func TestFaultsFloodOfLogins(t *testing.T) {
	s := faulty(t, harness.Options{
		Directories: 1, DirectoryEnv: []string{"DIRECTORY_RATE=20"},
		GatewayEnv: []string{"GATEWAY_CLIENT_RATE=100", "GATEWAY_TRUSTED_PROXIES=127.0.0.1/32"},
	})
	var answered atomic.Int64
	for i := range 600 {
		go func() {
			attacker := harness.NewVisitor(s.Gateway)
			attacker.HTTP.Transport = harness.From(fmt.Sprintf("2001:db8:0:%x::1", i))
			for n := 0; t.Context().Err() == nil; n++ {
				email := fmt.Sprintf("attacker%d.%d@demo.example", i, n)
				_, _ = attacker.Try(t.Context(), http.MethodPost, "/api/auth/login",
					map[string]string{"email": email, "password": "wrong-password-1"})
				answered.Add(1)
			}
		}()
	}
	harness.Eventually(t, "the flood is under way", func() bool { return answered.Load() > 1000 })
	for range 5 {
		owner := harness.NewVisitor(s.Gateway)
		owner.HTTP.Transport = harness.From("203.0.113.7")
		begun := time.Now()
		owner.Login(t, "biuro@demo.example")
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("a login took %s", took)
		}
	}
}
