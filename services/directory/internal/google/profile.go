package google

import (
	"slices"

	"backend.example/services/directory/internal/directory"
)

// fieldsWithout returns fields, without the address or the hours if they do not
// apply.
func fieldsWithout(fields []directory.Field, noAddress, noHours bool) []directory.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f directory.Field) bool {
		return f == directory.FieldAddress && noAddress || f == directory.FieldHours && noHours
	})
}
