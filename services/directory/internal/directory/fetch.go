package directory

import (
	"slices"

	"backend.example/services/internal/kit/fault"
)

// Fetch tells how the refresh of a company's external profile went.
type Fetch struct {
	Success bool // external data are there
	Steps   []Step
	Data    *Profile // nil without success
	Error   string   // Polish; empty with success
}

// Step is one source that was tried.
type Step struct {
	Step    string // the source; "save" when the profile could not be kept
	Status  string // one of the constants below
	Message string // the same in Polish
}

// Values of a step's status.
const (
	StepOK       = "ok"        // read now
	StepReused   = "reused"    // read before, and fresh
	StepSkipped  = "skipped"   // not connected or not configured
	StepNotFound = "not_found" // the source does not know the company
	StepFailed   = "failed"
)

func (f *Fetch) add(step, status, message string) {
	f.Steps = append(f.Steps, Step{Step: step, Status: status, Message: message})
}

func (f *Fetch) has(status string) bool {
	return slices.ContainsFunc(f.Steps, func(s Step) bool { return s.Status == status })
}

// sourceNames are the external sources in the genitive.
var sourceNames = map[ProfileSource]string{FromBusinessProfile: "profilu firmy", FromPlaces: "publicznej wizytówki"}

// noteRead adds the step of reading a source and returns its status; err is nil
// when the source answered.
func (f *Fetch) noteRead(source ProfileSource, err error) (status string) {
	name, message := sourceNames[source], ""
	switch {
	case err == nil:
		status, message = StepOK, "Dane z "+name+" zostały pobrane."
	case fault.Is(err, CodeNoConnection):
		status, message = StepSkipped, "Profil firmy nie jest połączony albo nie wybrano lokalizacji."
	case fault.Is(err, CodeGone):
		status, message = StepNotFound, "Nie znaleziono "+name+"."
	default:
		status, message = StepFailed, "Nie udało się pobrać danych z "+name+". "+fault.From(err).Message
	}
	f.add(string(source), status, message)
	return status
}

func (f *Fetch) noteReused(source ProfileSource) {
	f.add(string(source), StepReused, "Użyto danych z "+sourceNames[source]+" pobranych w ciągu ostatnich 24 godzin.")
}
