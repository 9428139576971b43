package directorytest

import "backend.example/services/directory/internal/directory"

// ErasureLog is a log of erasures in memory.
type ErasureLog struct{ Erasures []directory.Erasure }

// Append adds e.
func (l *ErasureLog) Append(e directory.Erasure) error {
	l.Erasures = append(l.Erasures, e)
	return nil
}

// All lists what was appended.
func (l *ErasureLog) All() ([]directory.Erasure, error) { return l.Erasures, nil }
