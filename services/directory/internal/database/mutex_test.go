package database

import (
	"context"
	"errors"
	"testing"
)

func TestKeyedMutex(t *testing.T) {
	var k keyedMutex
	ctx := t.Context()
	unlock, ok, err := k.lock(ctx, "a", true)
	if !ok || err != nil {
		t.Fatalf("first: %v, %v", ok, err)
	}
	if _, ok, err := k.lock(ctx, "a", false); ok || err != nil {
		t.Errorf("second, without waiting: %v, %v", ok, err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, ok, err := k.lock(canceled, "a", true); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("second, with a canceled context: %v, %v", ok, err)
	}
	unlockOther, ok, err := k.lock(ctx, "b", false)
	if !ok || err != nil {
		t.Errorf("another name: %v, %v", ok, err)
	}
	unlockOther()
	locked := make(chan func())
	go func() {
		unlock, _, _ := k.lock(ctx, "a", true)
		locked <- unlock
	}()
	unlock()
	(<-locked)()
	if len(k.names) != 0 {
		t.Errorf("%d names are kept", len(k.names))
	}
}
