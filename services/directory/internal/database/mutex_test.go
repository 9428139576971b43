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
	if _, ok, err := k.lock(ctx, "a", false); ok || err != nil {
		t.Errorf("third, after the second has given up: %v, %v", ok, err)
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

// TestFileLockAfterARefusal: a process that did not get a lock gets it when it is free.
func TestFileLockAfterARefusal(t *testing.T) {
	folder, ctx := t.TempDir(), t.Context()
	first, second := &fileLocks{folder: folder}, &fileLocks{folder: folder}
	release, _, err := first.acquire(ctx, "a", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := second.acquire(ctx, "a", false); ok || err != nil {
		t.Errorf("while the other process has it: %v, %v", ok, err)
	}
	release()
	release, ok, err := second.acquire(ctx, "a", false)
	if !ok || err != nil {
		t.Fatalf("afterwards: %v, %v", ok, err)
	}
	release()
}
