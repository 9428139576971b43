package places

import (
	"fmt"
	"time"

	"backend.example/deploy/sandbox/internal/demo"
)

type review struct {
	Name         string      `json:"name"` // "places/ChIJ…/reviews/…"
	Rating       int         `json:"rating"`
	Text         text        `json:"text"`
	OriginalText text        `json:"originalText"`
	Attribution  attribution `json:"authorAttribution"`
	PublishTime  time.Time   `json:"publishTime"`
	Relative     string      `json:"relativePublishTimeDescription"`
}

func newReviews(b demo.Business, id string, now time.Time) []review {
	var reviews []review
	for i, r := range b.Reviews[:min(len(b.Reviews), maxReviews)] {
		reviews = append(reviews, review{
			Name: fmt.Sprintf("places/%s/reviews/demo%d", id, i), Rating: r.Stars, Text: polishText(r.Text), OriginalText: polishText(r.Text),
			Attribution: attribution{r.Author}, PublishTime: now.UTC().AddDate(0, 0, -r.Days).Truncate(time.Second), Relative: ago(r.Days),
		})
	}
	return reviews
}

// ago tells in Polish how long ago some days are: "3 tygodnie temu".
func ago(days int) string {
	switch {
	case days < 7:
		return counted(days, "dzień", "dni", "dni")
	case days < 30:
		return counted(days/7, "tydzień", "tygodnie", "tygodni")
	default:
		return counted(days/30, "miesiąc", "miesiące", "miesięcy")
	}
}

func counted(number int, one, few, many string) string {
	switch {
	case number == 1:
		return one + " temu"
	case number >= 2 && number <= 4:
		return fmt.Sprintf("%d %s temu", number, few)
	default:
		return fmt.Sprintf("%d %s temu", number, many)
	}
}
