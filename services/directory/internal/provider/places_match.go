package provider

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"backend.example/services/directory/internal/directory"
)

// pick returns the one result that is the company. Where several could be, the
// one in the company's own street that bears just its name is it; without such a
// one nothing is taken.
func pick(c directory.Company, results []place) (place, bool) {
	var same []place
	for _, p := range results {
		if sameCompany(c, p) {
			same = append(same, p)
		}
	}
	if len(same) == 1 {
		return same[0], true
	}
	name := strings.Join(nameWords(c.Name), "")
	i := slices.IndexFunc(same, func(p place) bool { return strings.Join(nameWords(p.DisplayName.Text), "") == name })
	if i < 0 || !streetOf(c.Address, same[i]).known() {
		return place{}, false
	}
	return same[i], true
}

// sameCompany is the rule by which a search result is the company:
//
//  1. the place has an id, is not closed for good and has not moved;
//  2. the names agree: without case, diacritics and legal forms, every word of
//     the shorter is in the longer ("Auto Serwis Nowak Sp. z o.o." and
//     "Nowak Auto-Serwis"), or they differ in spaces alone;
//  3. postcode or town and street agree, where the company gives them, see
//     [sameTown] and [sameStreet]. Telephone and website do not make up for
//     another street: branches share them;
//  4. where either gives no street, the telephone number or the host of the
//     website has to agree. The name alone is never enough.
func sameCompany(c directory.Company, p place) bool {
	if p.ID == "" || p.closed() || p.moved() || !sameName(c.Name, p.DisplayName.Text) {
		return false
	}
	if strings.TrimSpace(c.Address) != "" && !sameTown(c.Address, p) {
		return false
	}
	if ours, theirs := streetOf(c.Address, p), streetOf(p.street(), p); ours.known() && theirs.known() {
		return sameStreet(ours, theirs)
	}
	return samePhone(c.Phone, p.InternationalPhone) || samePhone(c.Phone, p.NationalPhone) || sameHost(c.Website, p.WebsiteURI)
}

// legalForms are words of a name that two records of a company may differ in.
// Single letters ("s.c.", "z o.o.") are left out besides.
var legalForms = []string{
	"sp", "spolka", "zoo", "oo", "ograniczona", "odpowiedzialnoscia", "sa", "akcyjna", "sc", "cywilna",
	"sj", "spj", "jawna", "sk", "spk", "komandytowa", "psa", "prosta",
}

func nameWords(name string) []string {
	return slices.DeleteFunc(words(name), func(w string) bool {
		return len([]rune(w)) == 1 && unicode.IsLetter([]rune(w)[0]) || slices.Contains(legalForms, w)
	})
}

func sameName(a, b string) bool {
	wordsA, wordsB := nameWords(a), nameWords(b)
	if len(wordsA) == 0 || len(wordsB) == 0 {
		return false
	}
	return within(wordsA, wordsB) || within(wordsB, wordsA) || strings.Join(wordsA, "") == strings.Join(wordsB, "")
}

// samePhone compares the last nine digits, a Polish number without its prefix.
func samePhone(a, b string) bool {
	a, b = digits(a), digits(b)
	return len(a) >= 9 && len(b) >= 9 && a[len(a)-9:] == b[len(b)-9:]
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// sharedHosts are sites that hold the pages of many companies.
var sharedHosts = []string{"facebook.com", "instagram.com", "linkedin.com", "google.com", "linktr.ee", "booksy.com", "allegro.pl", "olx.pl"}

func sameHost(a, b string) bool {
	hostA, hostB := host(a), host(b)
	return hostA != "" && hostA == hostB && !slices.Contains(sharedHosts, hostA)
}

func host(address string) string {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}
