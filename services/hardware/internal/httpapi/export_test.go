package httpapi

// Payload is the JSON of a form that is kept beside an answer.
func Payload(form any) []byte { return form.(*rendered).payload }
