package main

import (
	"slices"
	"strings"
	"testing"
)

func TestSeed(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		require(t, settings, "company", "add", "Inna", "--slug", "warsztat-nowak") // before the demonstration
		first := require(t, settings, "seed")
		users, companies := require(t, settings, "user", "list"), require(t, settings, "company", "list")
		require(t, settings, "user", "set-role", "gosc@demo.example", "MEMBER")
		changed := require(t, settings, "user", "list")
		if again := require(t, settings, "seed"); again != first {
			t.Errorf("the second time it printed\n%sthe first time\n%s", again, first)
		}
		if again := require(t, settings, "user", "list"); again != changed || again == users {
			t.Errorf("users after the second time\n%sbefore\n%s", again, changed)
		}
		if again := require(t, settings, "company", "list"); again != companies {
			t.Errorf("companies after the second time\n%sbefore\n%s", again, companies)
		}
		for _, role := range []string{"UNAFFILIATED", "MEMBER", "EMPLOYEE", "MANAGER", "OFFICE_MANAGER", "ADMIN"} {
			if !slices.Contains(strings.Fields(users), role) {
				t.Errorf("no demonstration user is %s", role)
			}
		}
	})
}

// TestSeedAtOnce: replicas may be started with it.
func TestSeedAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		ended := make(chan error)
		for range 3 {
			go func() {
				_, err := command(t, settings, "seed")
				ended <- err
			}()
		}
		for range 3 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if users := require(t, settings, "user", "list"); strings.Count(users, "@") != 6 {
			t.Errorf("users\n%s", users)
		}
	})
}
