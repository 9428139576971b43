package directory

import (
	"context"
	"strings"
	"time"
)

// Fresh and FreshEarly are what every use of a connection, and the scan, begin with.
var (
	Fresh      = (*OAuth).fresh
	FreshEarly = (*OAuth).freshEarly
)

// Use and UseAsUser read a text.
func Use(ctx context.Context, o *OAuth, c Connection, read func(ctx context.Context, token, account string) (string, error)) (string, error) {
	return use(ctx, o, c, read)
}

func UseAsUser(ctx context.Context, o *OAuth, c Connection, read func(ctx context.Context, token string) (string, error)) (string, error) {
	return useAsUser(ctx, o, c, read)
}

var auditNow = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// FullProfile is complete in every field.
func FullProfile() Profile {
	p, place := FullLocation(), FullPlace()
	p.complete(&place)
	return p
}

// FullLocation is complete in all fields that a location can tell.
func FullLocation() Profile {
	return Profile{
		Source: FromBusinessProfile, PlaceID: "place-1", FetchedAt: auditNow,
		Tells: []Field{FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldCategories, FieldDescription, FieldServices},
		Name:  "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków", Phone: "+48 12 421 00 12",
		Website: "https://piekarnia-kowalski.example/", Description: strings.Repeat("ż", 250),
		Hours:      []string{"poniedziałek: 06:00–18:00", "wtorek: 06:00–18:00", "środa: 06:00–18:00", "czwartek: 06:00–18:00", "piątek: 06:00–18:00"},
		Categories: []string{"Piekarnia", "Cukiernia", "Kawiarnia"},
		Services:   []string{"Chleb", "Bułki", "Torty", "Ciasta", "Kawa"},
	}
}

// FullPlace is complete in all fields that a place can tell.
func FullPlace() Profile {
	p := FullLocation()
	p.Source, p.PhotoCount, p.ReviewCount, p.AverageRating = FromPlaces, 10, 128, 4.6
	p.Description, p.Services = "", nil
	p.Tells = []Field{FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldCategories, FieldPhotos, FieldReviews}
	return p
}

// Look looks into the outbox once, and waits for the turns that it begins.
func (w *Webhooks) Look(ctx context.Context) {
	d := dispatcher{Webhooks: w, busy: map[int64]bool{}}
	d.look(ctx)
	d.turns.Wait()
}
