package contracttest

import (
	"slices"
	"testing"
)

func TestRequireRoutes(t *testing.T) {
	all := []string{"GET /notes/:id", "HEAD /notes/:id", "POST /notes/:id"}
	tests := map[string]struct{ routes, want []string }{
		"the documented ones":    {all, nil},
		"pseudo method":          {append([]string{"echo_route_not_found /*"}, all...), nil},
		"undocumented route":     {append([]string{"GET /notes"}, all...), []string{"route GET /notes is not in the document"}},
		"undocumented method":    {append([]string{"PUT /notes/:id"}, all...), []string{"route PUT /notes/{id} is not in the document"}},
		"operation left out":     {all[:2], []string{"operation POST /notes/{id} has no route"}},
		"other parameter's name": {append([]string{"GET /notes/:note"}, all[1:]...), []string{"route GET /notes/{note} is not in the document", "operation GET /notes/{id} has no route"}},
		"not a route":            {append([]string{"GET"}, all...), []string{`route "GET": want a method, a space and a path`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &spy{}
			New([]byte(notes)).RequireRoutes(s, test.routes)
			if !slices.Equal(s.reports, test.want) {
				t.Errorf("reports: %q, want %q", s.reports, test.want)
			}
		})
	}
}
