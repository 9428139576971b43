package httpapi

import (
	"time"

	"backend.example/services/directory/internal/directory"
)

// fetchBody tells how the refresh of the external profile went.
type fetchBody struct {
	Success bool         `json:"success"`
	Steps   []stepBody   `json:"steps"`
	Data    *profileBody `json:"data"`
	Error   *string      `json:"error"`
}

// stepBody is a directory.Step.
type stepBody struct {
	Step    string `json:"step"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

// profileBody is a directory.Profile. The resource name of a location stays with us.
type profileBody struct {
	Source        directory.ProfileSource `json:"source"`
	Tells         []directory.Field       `json:"tells"`
	PlaceID       string                  `json:"place_id"`
	Name          string                  `json:"name"`
	Address       string                  `json:"address"`
	Phone         string                  `json:"phone"`
	Website       string                  `json:"website"`
	Hours         []string                `json:"hours"`
	Categories    []string                `json:"categories"`
	Description   string                  `json:"description"`
	Services      []string                `json:"services"`
	PhotoCount    int                     `json:"photo_count"`
	ReviewCount   int                     `json:"review_count"`
	AverageRating float64                 `json:"average_rating"`
	LogoPresent   bool                    `json:"logo_present"`
	CoverPresent  bool                    `json:"cover_photo_present"`
	FetchedAt     time.Time               `json:"fetched_at"`
}

func describeFetch(f *directory.Fetch) *fetchBody {
	if f == nil {
		return nil
	}
	body := &fetchBody{Success: f.Success, Steps: []stepBody{}, Error: OrNull(f.Error)}
	for _, step := range f.Steps {
		body.Steps = append(body.Steps, stepBody(step))
	}
	if f.Data != nil {
		body.Data = describeProfile(f.Data)
	}
	return body
}

func describeProfile(p *directory.Profile) *profileBody {
	return &profileBody{
		Source: p.Source, Tells: OrEmpty(p.Tells), PlaceID: p.PlaceID, Name: p.Name, Address: p.Address, Phone: p.Phone,
		Website: p.Website, Hours: OrEmpty(p.Hours), Categories: OrEmpty(p.Categories), Description: p.Description,
		Services: OrEmpty(p.Services), PhotoCount: p.PhotoCount, ReviewCount: p.ReviewCount, AverageRating: p.AverageRating,
		LogoPresent: p.LogoPresent, CoverPresent: p.CoverPresent, FetchedAt: p.FetchedAt,
	}
}
