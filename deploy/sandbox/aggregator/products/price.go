package products

import (
	"fmt"
	"strconv"
	"strings"
)

// Price is an amount in grosze, a hundredth of a zloty.
type Price int64

// PLN makes a price of whole zlotys.
func PLN(zlotys int) Price { return Price(zlotys) * 100 }

// Fixed writes dot and two decimals: 2649.00.
func (p Price) Fixed() string { return fmt.Sprintf("%d.%02d", p/100, p%100) }

// Short leaves out zero grosze: 449, 664.99.
func (p Price) Short() string {
	if p%100 == 0 {
		return strconv.FormatInt(int64(p/100), 10)
	}
	return p.Fixed()
}

// Zlotys writes the whole part with the separator between thousands: 2 649.
func (p Price) Zlotys(separator string) string {
	digits := strconv.FormatInt(int64(p/100), 10)
	var grouped strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			grouped.WriteString(separator)
		}
		grouped.WriteRune(digit)
	}
	return grouped.String()
}

// Grosze writes the fraction as two digits: 05.
func (p Price) Grosze() string { return fmt.Sprintf("%02d", p%100) }

// Text writes a price for people: 2 649,05, with a no-break space.
func (p Price) Text() string { return p.Zlotys("\u00a0") + "," + p.Grosze() }

// MarshalJSON writes a number with two decimals, as shops do in JSON-LD.
func (p Price) MarshalJSON() ([]byte, error) { return []byte(p.Fixed()), nil }

// psychological moves a price to an ending that shops like.
func psychological(price Price, choice int) Price {
	endings := []Price{0, 99, 90, 0, 99, 49}
	ending := endings[choice%len(endings)]
	whole := price / 100 * 100
	if ending > 0 && whole > 100 {
		whole -= 100
	}
	return whole + ending
}
