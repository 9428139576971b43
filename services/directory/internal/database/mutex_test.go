package database

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestKeyedMutex(t *testing.T) {
	var k keyedMutex
	ctx := t.Context()
	unlock, err := k.lock(ctx, "a")
	if err != nil {
		t.Fatalf("first: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := k.lock(canceled, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("second, with a canceled context: %v", err)
	}
	waiting, giveUp := context.WithTimeout(ctx, time.Millisecond)
	defer giveUp()
	if _, err := k.lock(waiting, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("second, while the first has it: %v", err)
	}
	unlockOther, err := k.lock(ctx, "b")
	if err != nil {
		t.Errorf("another name: %v", err)
	}
	unlockOther()
	locked := make(chan func())
	go func() {
		unlock, _ := k.lock(ctx, "a")
		locked <- unlock
	}()
	unlock()
	(<-locked)()
	if len(k.names) != 0 {
		t.Errorf("%d names are kept", len(k.names))
	}
}
