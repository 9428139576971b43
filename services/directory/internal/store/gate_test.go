package store

import (
	"context"
	"errors"
	"testing"
)

func TestGate(t *testing.T) {
	var g gate
	ctx := t.Context()
	leave, ok, err := g.enter(ctx, "a", true)
	if !ok || err != nil {
		t.Fatalf("first: %v, %v", ok, err)
	}
	if _, ok, err := g.enter(ctx, "a", false); ok || err != nil {
		t.Errorf("second, without waiting: %v, %v", ok, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, ok, err := g.enter(ended, "a", true); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("second, with a context that ended: %v, %v", ok, err)
	}
	leaveOther, ok, err := g.enter(ctx, "b", false)
	if !ok || err != nil {
		t.Errorf("another name: %v, %v", ok, err)
	}
	leaveOther()
	entered := make(chan func())
	go func() {
		leave, _, _ := g.enter(ctx, "a", true)
		entered <- leave
	}()
	leave()
	(<-entered)()
	if len(g.names) != 0 {
		t.Errorf("%d names are kept", len(g.names))
	}
}
