package directory

import (
	"context"
	"time"
)

// Replay erases from a restored database what was erased after the backup was made,
// and returns how much that was. It may be repeated: what was connected or added after an
// erasure stays.
func (e *Erasures) Replay(ctx context.Context, actor Actor) (n int, err error) {
	if e.log == nil {
		return 0, CodeNoErasureLog.Fault()
	}
	all, err := e.log.All()
	if err != nil {
		return 0, err
	}
	noted := map[Erasure]time.Time{} // the newest of each thing
	for _, erasure := range all {
		noted[Erasure{Kind: erasure.Kind, Subject: erasure.Subject}] = erasure.At
	}
	for _, again := range []func() (int, error){
		func() (int, error) {
			return replay(ctx, noted, e.store.Users().List, UserErasure, func(u User, _ time.Time) error { return e.user(ctx, actor, u) })
		},
		func() (int, error) {
			return replay(ctx, noted, e.store.Companies().List, companyErasure, func(c Company, _ time.Time) error { return e.company(ctx, actor, c) })
		},
		func() (int, error) {
			return replay(ctx, noted, e.store.Persons, PersonErasure, func(p Person, at time.Time) error { return e.person(ctx, actor, p, at) })
		},
	} {
		erased, err := again()
		if n += erased; err != nil {
			return n, err
		}
	}
	return n, e.store.Purge(ctx)
}

// replay erases those of the listed whose erasure was noted.
func replay[T any](ctx context.Context, noted map[Erasure]time.Time,
	list func(context.Context) ([]T, error), of func(T, time.Time) Erasure, erase func(thing T, at time.Time) error,
) (n int, err error) {
	things, err := list(ctx)
	if err != nil {
		return 0, err
	}
	for _, thing := range things {
		at, ok := noted[of(thing, time.Time{})]
		if !ok {
			continue
		}
		if err := erase(thing, at); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
