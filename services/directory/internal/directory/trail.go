package directory

import "backend.example/services/directory/internal/trail"

// Entry and TrailSearch are those of package trail.
type (
	Entry       = trail.Entry
	TrailSearch = trail.Search
)
