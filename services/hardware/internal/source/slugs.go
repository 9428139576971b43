package source

import (
	"maps"
	"sync"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

// DefaultSlugs gives the site's category for a category of ours. Where the exact
// one is not certain it is their common parent; a slug that the site does not
// know costs one more request a day, for the search without category.
func DefaultSlugs() map[hardware.Category]string {
	const components = "Podzespoly_komputerowe"
	return map[hardware.Category]string{
		"cpu": components, "gpu": "Karty_graficzne", "ram": components, "storage": "Dyski",
		"motherboard": components, "psu": components, "cooling": components, "case": components,
	}
}

// slugRest is how long a slug that the site did not know is left alone.
const slugRest = 24 * time.Hour

// slugs knows the site's categories, and which of them the site itself does not.
type slugs struct {
	byCategory map[hardware.Category]string
	now        func() time.Time

	mu      sync.Mutex
	unknown map[string]time.Time // until when a slug rests
}

func newSlugs(own map[hardware.Category]string, now func() time.Time) *slugs {
	s := &slugs{byCategory: DefaultSlugs(), now: now, unknown: map[string]time.Time{}}
	maps.Copy(s.byCategory, own)
	return s
}

// of is the slug to search c in, empty when there is none to try.
func (s *slugs) of(c hardware.Category) string {
	slug := s.byCategory[c]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now().Before(s.unknown[slug]) {
		return ""
	}
	return slug
}

// reject notes that the site does not know slug.
func (s *slugs) reject(slug string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unknown[slug] = s.now().Add(slugRest)
}
