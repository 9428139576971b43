package ceneo

import (
	"cmp"
	"maps"
	"sync"
	"time"

	"backend.example/services/hardware/internal/catalog"
)

// department is the slug of everything around computers. It is searched where no
// narrower slug is known, because robots.txt closes the search over the whole site.
const department = "Komputery"

// DefaultSlugs are the site's names of our categories. Where the exact one is not
// certain, it is that of the parent category. A slug that the site does not know
// costs one more request a day, for the search in the department.
func DefaultSlugs() map[catalog.Category]string {
	const components = "Podzespoly_komputerowe"
	return map[catalog.Category]string{
		"cpu": components, "gpu": "Karty_graficzne", "ram": components, "storage": "Dyski",
		"motherboard": components, "psu": components, "cooling": components, "case": components,
	}
}

// slugRest is how long a slug that the site did not know is not tried again.
const slugRest = 24 * time.Hour

// slugs are the site's names of our categories. It remembers which of them the site
// did not know.
type slugs struct {
	byCategory map[catalog.Category]string
	now        func() time.Time

	mu      sync.Mutex
	unknown map[string]time.Time // when a slug may be tried again
}

func newSlugs(configured map[catalog.Category]string, now func() time.Time) *slugs {
	s := &slugs{byCategory: DefaultSlugs(), now: now, unknown: map[string]time.Time{}}
	maps.Copy(s.byCategory, configured)
	return s
}

// of is the slug for a search in c, that of the department when there is no other to
// try.
func (s *slugs) of(c catalog.Category) string {
	slug := s.byCategory[c]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now().Before(s.unknown[slug]) {
		return department
	}
	return cmp.Or(slug, department)
}

// reject notes that the site does not know slug.
func (s *slugs) reject(slug string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unknown[slug] = s.now().Add(slugRest)
}
