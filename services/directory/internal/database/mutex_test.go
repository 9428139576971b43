package database

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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

// TestFileLockAfterARefusal: a process that did not get a lock gets it when it is free.
func TestFileLockAfterARefusal(t *testing.T) {
	folder, ctx := t.TempDir(), t.Context()
	first, second := &fileLocks{folder: folder}, &fileLocks{folder: folder}
	release, err := first.acquire(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	waiting, cancel := context.WithTimeout(ctx, 3*lockRetry)
	defer cancel()
	if _, err := second.acquire(waiting, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while the other process has it: %v", err)
	}
	release()
	release, err = second.acquire(ctx, "a")
	if err != nil {
		t.Fatalf("afterwards: %v", err)
	}
	release()
}

// TestFilesBelowAFile checks that what cannot be a folder is reported.
func TestFilesBelowAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := makeFile(file); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(file, "below")
	_, err := (&fileLocks{folder: below}).share("use")
	if makeErr := makeFile(below); err == nil || makeErr == nil {
		t.Errorf("a lock %v, a file %v", err, makeErr)
	}
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "use"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := (&fileLocks{folder: folder}).share("use"); err == nil || errors.Is(err, errAlone) {
		t.Errorf("a folder in place of a lock: %v", err)
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sleep(canceled, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
