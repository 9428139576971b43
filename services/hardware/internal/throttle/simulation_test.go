//go:build !race

// This computes for minutes under the race detector.

package throttle

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAFloodLeavesOthersTheirTurns(t *testing.T) {
	for replicas, length := range map[int]time.Duration{1: 3 * time.Minute, 2: time.Minute, 3: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			f := newFlood(replicas)
			f.end = f.began.Add(length)
			f.run(t)
			f.expectFair(t)
			wantApart(t, "in a flood", f.arrived.since(f.began), interval)
		})
	}
}
