package directory

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// scanWorld is all that a Scan works with, in memory. An error in errs, by a step
// such as "renew 3" or "photos 1", makes that step fail; done lists the steps.
type scanWorld struct {
	connections map[int64][]Connection // by company
	errs        map[string]error
	done        []string
	renewal     map[int64]string // by connection: its new token
	listErr     error
	during      func(step string)

	mu      sync.Mutex
	running bool
	used    []time.Time
	log     bytes.Buffer
	logger  *slog.Logger // to log; of all replicas, for it locks
}

func (w *scanWorld) scan(now func() time.Time) *Scan {
	return NewScan(w, w, w, now, w.logger)
}

func (w *scanWorld) step(name string, id int64) error {
	name += " " + strconv.FormatInt(id, 10)
	w.done = append(w.done, name)
	if w.during != nil {
		w.during(name)
	}
	return w.errs[name]
}

func (w *scanWorld) Connections(_ context.Context, companyID int64) ([]Connection, error) {
	return w.connections[companyID], w.errs["list "+strconv.FormatInt(companyID, 10)]
}

func (w *scanWorld) ConnectedCompanies(_ context.Context, p Pair, after int64, n int) ([]int64, error) {
	var ids []int64
	for _, id := range slices.Sorted(maps.Keys(w.connections)) {
		active := func(c Connection) bool { return c.Pair == p && c.Active }
		if id > after && len(ids) < n && slices.ContainsFunc(w.connections[id], active) {
			ids = append(ids, id)
		}
	}
	return ids, w.listErr
}

func (w *scanWorld) Exclusively(ctx context.Context, name string, fn func(context.Context) error) (bool, error) {
	w.mu.Lock()
	busy := w.running
	w.running = true
	w.mu.Unlock()
	if busy || name != "scan" {
		return false, nil
	}
	defer func() {
		w.mu.Lock()
		w.running = false
		w.mu.Unlock()
	}()
	return true, fn(ctx)
}

func (w *scanWorld) TakeLimits(_ context.Context, limits []Limit, now time.Time) (LimitState, error) {
	l := limits[0]
	w.mu.Lock()
	defer w.mu.Unlock()
	in := 0
	for _, used := range w.used {
		if used.After(now.Add(-l.Window)) {
			in++
		}
	}
	if in >= l.Max {
		return LimitState{}, w.errs["limit"]
	}
	w.used = append(w.used, now)
	return LimitState{OK: true}, w.errs["limit"]
}

func (w *scanWorld) FreshEarly(_ context.Context, c Connection) (Connection, error) {
	if err := w.step("renew", c.ID); err != nil {
		return c, err
	}
	if token := w.renewal[c.ID]; token != "" && c.Chosen == ChosenPage {
		c.UserAccessToken = token
	} else if token != "" {
		c.AccessToken = token
	}
	return c, nil
}

func (w *scanWorld) SyncPage(_ context.Context, companyID int64) (PageData, error) {
	return PageData{}, w.step("page", companyID)
}

func (w *scanWorld) SyncPhotos(_ context.Context, companyID int64) (PhotoData, error) {
	return PhotoData{}, w.step("photos", companyID)
}

// turns counts the scheduled scans.
func (w *scanWorld) turns() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.used)
}

// logged counts the lines of the log with text.
func (w *scanWorld) logged(text string) int { return strings.Count(w.log.String(), text) }
