package throttle

import (
	"context"
	"testing"
	"time"
)

// TestShareOfAReplicaThatIsCutOff: the others leave it to that one, and have it back when
// the replica is here again, or is gone for good.
func TestShareOfAReplicaThatIsCutOff(t *testing.T) {
	for name, test := range map[string]struct {
		here, gone []string
		want       time.Duration // between two turns
	}{
		"all are here":                 {here: []string{"one", "two", "three"}, want: time.Minute},
		"one is cut off":               {here: []string{"two", "three"}, want: 80 * time.Second},
		"two are cut off":              {here: []string{"three"}, want: 2 * time.Minute},
		"all are cut off":              {want: 4 * time.Minute},
		"one is cut off, another gone": {here: []string{"two"}, gone: []string{"three"}, want: 80 * time.Second},
		"all are gone":                 {gone: []string{"one", "two", "three"}, want: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			client, advance := newMiniredis(t)
			slots := newRedisSlots(client, "source", time.Minute, openHours)
			slots.replicas = 4
			s := slotsUnderTest{slots: slots, advance: advance}
			tell := func(verb string, replicas ...string) {
				for _, replica := range replicas {
					if err := slots.run(t.Context(), verb, replica).Err(); err != nil {
						t.Fatal(err)
					}
				}
			}
			s.begin(t)
			tell("here", "one", "two", "three")
			const passed = time.Minute + time.Second
			advance(passed)
			tell("here", test.here...)
			tell("gone", test.gone...)
			if answer := s.ask(t, awaited("next/1")); answer.again != max(test.want-passed, 0) {
				t.Errorf("%+v, want the turn %v after the last one", answer, test.want)
			}
		})
	}
}

func TestStay(t *testing.T) {
	client, _ := newMiniredis(t)
	p := NewRedisPacer(client, "source", options(2))
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() { p.Stay(ctx, "one"); close(left) }()
	present := func() int64 { return client.ZCard(t.Context(), "hw:throttle:{source}:present").Val() }
	for deadline := time.Now().Add(20 * time.Second); present() == 0; <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the replica is not here")
		}
	}
	leave()
	if <-left; present() != 0 {
		t.Error("the replica is not gone")
	}
}
