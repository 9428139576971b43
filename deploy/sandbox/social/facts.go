package social

import (
	"fmt"
	"math"
	"strings"

	"backend.example/deploy/sandbox/internal/demo"
)

// categories is the list of a page's categories; their ids are invented.
func categories(b demo.Business) []map[string]any {
	list := make([]map[string]any, 0, len(b.Categories))
	for i, category := range b.Categories {
		list = append(list, map[string]any{"id": fmt.Sprintf("2200%d", 100+i+len(category.Name)), "name": category.Name})
	}
	return list
}

func rating(b demo.Business) any {
	if b.ReviewCount == 0 {
		return absent{}
	}
	return math.Round(b.Rating*10) / 10
}

func location(b demo.Business) any {
	if b.ComesToYou || b.Street == "" {
		return absent{}
	}
	return map[string]any{
		"city": b.City, "country": "Poland", "latitude": b.Latitude, "longitude": b.Longitude, "street": b.Street, "zip": b.PostalCode,
	}
}

// openingHours has a key for the beginning and the end of every span, e.g.
// "mon_1_open".
func openingHours(week demo.Week) any {
	if !week.Known() {
		return absent{}
	}
	hours := make(map[string]any)
	for day, name := range []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} {
		for i, span := range week[day] {
			hours[fmt.Sprintf("%s_%d_open", name, i+1)] = clock(span.From)
			hours[fmt.Sprintf("%s_%d_close", name, i+1)] = clock(span.To)
		}
	}
	return hours
}

// clock writes minutes since midnight; after it the next day's begin.
func clock(minutes int) string {
	return fmt.Sprintf("%02d:%02d", minutes/60%24, minutes%60)
}

func firstSentence(text string) string {
	first, _, more := strings.Cut(text, ". ")
	if more {
		first += "."
	}
	return first
}
