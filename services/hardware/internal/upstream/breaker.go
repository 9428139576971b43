package upstream

import (
	"context"
	"time"

	"backend.example/services/internal/kit/fault"
)

// Breaker pauses a source, named freely, for all replicas. Once a pause is over
// one caller is let through to try, and the others wait for what it reports.
type Breaker interface {
	// Allow reports whether name may be asked; rest is what is left of its pause.
	Allow(ctx context.Context, name string) (rest time.Duration, ok bool)
	// Pause stops everybody from asking name for d.
	Pause(ctx context.Context, name string, d time.Duration)
	// Fail counts a failure of name and pauses it after several in a row.
	Fail(ctx context.Context, name string)
	// Succeed forgets name's failures and ends its trial. A pause goes on, because what
	// succeeded was sent before it began; rest is what is left of it.
	Succeed(ctx context.Context, name string) (rest time.Duration)
}

// MaxPause bounds what a source may ask for in Retry-After.
const MaxPause = 24 * time.Hour

// Paused is the answer to a caller who may not ask the source for rest.
func Paused(rest time.Duration) error {
	return fault.New(fault.Unavailable, "source_paused",
		"Sprawdzanie cen jest chwilowo wstrzymane. Spróbuj ponownie później.").After(rest)
}
