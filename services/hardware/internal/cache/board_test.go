package cache

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/internal/kit/fault"
)

// boardCases are the rules of a prices.Board. A line is a step: "one asks: mine" for an owner
// who asks, "one looks: none" for one that may not begin, "one holds 20s: 60s" for what is left
// if 20 s were, "one ends" with an outcome for 30 s, "one drops" without, "after 1m".
var boardCases = map[string]string{
	"a look-up is one owner's":        `one asks: mine; two asks: none; one asks: mine; two looks: none`,
	"none begins without room":        `one looks: none; two asks: mine; two looks: mine`,
	"an outcome is for all":           `one asks: mine; one ends; two asks: outcome 30s; after 20s; one looks: outcome 10s; after 10s; two asks: mine`,
	"what is not kept is gone":        `one asks: mine; one drops; two asks: mine`,
	"it is held while clients come":   `one asks: mine; after 10s; one holds 50s: 50s; after 10s; two asks: none; one holds 40s: 60s; after 10s; two looks: none; one holds 50s: 60s`,
	"it ends when no client comes":    `one asks: mine; after 50s; one holds 10s: 10s; after 10s; one holds 0s: 0s; one drops; two asks: mine`,
	"a dead owner loses it":           `one asks: mine; after 14s; two asks: none; after 2s; two asks: mine; one holds 40s: 0s; one ends; one asks: none; two ends; one asks: outcome 30s`,
	"a dead owner loses what it held": `one asks: mine; after 10s; one holds 50s: 50s; after 16s; two asks: mine`,
	"a late owner keeps nothing":      `one asks: mine; after 16s; two asks: mine; two ends; one holds 40s: 0s; two asks: outcome 30s`,
	"an owner keeps what was lost":    `one holds 40s: 40s; two asks: none; after 10s; one holds 30s: 50s; one ends; two asks: outcome 30s`,
	"an outcome that is over is none": `one asks: mine; one ends; after 31s; one holds 20s: 20s; two asks: none`,
	"an outcome is not wanted longer": `one asks: mine; one ends; after 20s; two asks: outcome 10s; after 15s; two looks: none`,
}

// TestBoard runs the same cases against every implementation.
func TestBoard(t *testing.T) {
	for name, steps := range boardCases {
		t.Run("local/"+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runBoard(t, prices.NewLocalBoard(), time.Sleep, steps) })
		})
		t.Run("redis/"+name, func(t *testing.T) {
			client := redistest.Client(t)
			runBoard(t, NewRedisBoard(client), func(d time.Duration) { redistest.Age(t, client, d) }, steps)
		})
	}
	t.Run("cluster", func(t *testing.T) {
		client := newCluster(t)
		wants := []prices.Want{{Key: "a", MayBegin: true}, {Key: "b", MayBegin: true}, {Key: "c", MayBegin: true}}
		notes, err := NewRedisBoard(client).Ask(t.Context(), "one", wants)
		if err != nil || len(notes) != 3 || !notes[0].Mine || !notes[1].Mine || !notes[2].Mine {
			t.Errorf("%+v, error %v", notes, err)
		}
	})
}

func runBoard(t *testing.T, board prices.Board, advance func(time.Duration), steps string) {
	o := prices.Outcome{Fault: &fault.Error{Kind: fault.Timeout, Code: lookup.CodeSlow}}
	for step := range strings.SplitSeq(steps, "; ") {
		words := strings.Fields(strings.Replace(step, ":", "", 1))
		isAbout := func(got time.Duration, want string) bool {
			d, err := time.ParseDuration(want)
			if err != nil {
				t.Fatal(err)
			}
			return got <= d && got >= d-time.Second
		}
		var got any
		var err error
		ok := true
		switch words[1] {
		case "asks", "looks":
			var notes []prices.Note
			if notes, err = board.Ask(t.Context(), words[0], []prices.Want{{Key: key, MayBegin: words[1] == "asks"}}); err != nil {
				break
			}
			n := notes[0]
			got, ok = n, n.Mine == (words[2] == "mine") && (n.Outcome != nil) == (words[2] == "outcome")
			if ok && n.Outcome != nil {
				ok = n.Outcome.Fault.Code == lookup.CodeSlow && isAbout(n.Rest, words[3])
			}
		case "holds":
			left, _ := time.ParseDuration(words[2])
			var rest time.Duration
			rest, err = board.Hold(t.Context(), words[0], key, left)
			got, ok = rest, isAbout(rest, words[3])
		case "ends":
			err = board.End(t.Context(), words[0], key, o, 30*time.Second)
		case "drops":
			err = board.End(t.Context(), words[0], key, prices.Outcome{}, 0)
		default: // after
			d, _ := time.ParseDuration(words[1])
			advance(d)
		}
		if err != nil || !ok {
			t.Fatalf("%s: got %+v, error %v", step, got, err)
		}
	}
}

// TestBoardIsBounded: no key shows the words of a query, and every key expires.
func TestBoardIsBounded(t *testing.T) {
	client := redistest.Client(t)
	board := NewRedisBoard(client)
	for _, end := range []bool{false, true} {
		if _, err := board.Ask(t.Context(), "one", []prices.Want{{Key: key, MayBegin: true}}); err != nil {
			t.Fatal(err)
		}
		if end {
			if err := board.End(t.Context(), "one", key, prices.Outcome{Fault: &fault.Error{Code: "x"}}, prices.WantedFor); err != nil {
				t.Fatal(err)
			}
		}
		for _, k := range client.Keys(t.Context(), "hw:*").Val() {
			if left := client.PTTL(t.Context(), k).Val(); left <= 0 || left > prices.WantedFor || strings.Contains(k, "rtx") {
				t.Errorf("key %q has %v left", k, left)
			}
		}
	}
}

// It counts as a look-up that another replica runs, until it expires.
func TestBoardPassesOverADamagedOutcome(t *testing.T) {
	client, _ := newMiniredis(t)
	client.Set(t.Context(), boardKeys(key)[0], "garbage", time.Minute)
	notes, err := NewRedisBoard(client).Ask(t.Context(), "one", []prices.Want{{Key: key, MayBegin: true}})
	if err != nil || notes[0] != (prices.Note{}) {
		t.Errorf("%+v, error %v", notes, err)
	}
}

func TestBoardAwayIsAnError(t *testing.T) {
	board := NewRedisBoard(redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1}))
	if notes, err := board.Ask(t.Context(), "one", []prices.Want{{Key: key}}); err == nil {
		t.Errorf("got %+v", notes)
	}
	if _, err := board.Hold(t.Context(), "one", key, time.Minute); err == nil {
		t.Error("held")
	}
	if err := board.End(t.Context(), "one", key, prices.Outcome{}, 0); err == nil {
		t.Error("ended")
	}
}
