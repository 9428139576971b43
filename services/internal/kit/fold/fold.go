// Package fold prepares texts for comparison without case and Polish diacritics.
package fold

import "strings"

var letters = strings.NewReplacer(
	"ą", "a", "ć", "c", "ę", "e", "ł", "l", "ń", "n", "ó", "o", "ś", "s", "ź", "z", "ż", "z",
)

// Polish returns text in lower case without Polish diacritics: "zolw" for "Żółw".
func Polish(text string) string { return letters.Replace(strings.ToLower(text)) }
