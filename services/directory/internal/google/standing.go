package google

import (
	"context"
	"time"
)

// searchVerificationsURL is the address of the Verifications API
// (https://developers.google.com/my-business/reference/verifications/rest/v1/locations/getVoiceOfMerchantState).
const searchVerificationsURL = "https://mybusinessverifications.googleapis.com/v1/"

// voiceOfMerchant says what a location lacks; what it does not lack is not there.
type voiceOfMerchant struct {
	ComplyWithGuidelines *struct{} `json:"complyWithGuidelines"`
}

// whyUnheard tells why the owner's word does not count. When the answer cannot be had,
// the usual cause is assumed: not every app may use this API, and the profile itself
// was read.
func (s *Client) whyUnheard(ctx context.Context, accessToken, name string) Signal {
	var state voiceOfMerchant
	err := s.get(ctx, accessToken, searchVerificationsURL+name+"/VoiceOfMerchantState", nil, &state)
	if err == nil && state.ComplyWithGuidelines != nil {
		return SignalSuspended
	}
	return SignalNotVerified
}

// signals are what the location itself tells; never nil.
func (l *location) signals() []Signal {
	signals := []Signal{}
	if l.Metadata.HasPendingEdits {
		signals = append(signals, SignalEditsPending)
	}
	if l.Metadata.HasGoogleUpdated {
		signals = append(signals, SignalChanged)
	}
	return signals
}

// specialPeriod is a time with hours of its own, closed ones, too.
type specialPeriod struct {
	StartDate apiDate  `json:"startDate"`
	EndDate   *apiDate `json:"endDate"` // nil: the same day
}

// apiDate is a date of the API.
type apiDate struct {
	Year  int        `json:"year"`
	Month time.Month `json:"month"`
	Day   int        `json:"day"`
}

func (d apiDate) time() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// specialDaysMax bounds what one period may name.
const specialDaysMax = 31

func specialDays(periods []specialPeriod) []time.Time {
	var days []time.Time
	for _, p := range periods {
		day, end := p.StartDate.time(), p.StartDate.time()
		if p.EndDate != nil {
			end = p.EndDate.time()
		}
		for n := 0; n < specialDaysMax && !day.After(end); n++ {
			days = append(days, day)
			day = day.AddDate(0, 0, 1)
		}
	}
	return days
}
