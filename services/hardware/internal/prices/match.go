package prices

import (
	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/match"
)

// fits reports whether a product of that name is what q means.
func fits(q catalog.Query, name string) bool {
	_, ok := match.Best(q, []match.Candidate{{Name: name}})
	return ok
}
