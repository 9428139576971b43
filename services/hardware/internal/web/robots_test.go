package web

import (
	"testing"

	"github.com/temoto/robotstxt"
)

// Machines may read whatever begins no look-up of offers.
func TestCrawlersBeginNoLookup(t *testing.T) {
	rules, err := robotstxt.FromString(newWorld(t).get(t, "/robots.txt").Text())
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"/": true, "/kreator": true, "/kreator?gpu=RTX+5090": true, "/kreator/ranking/gpu?sortuj=cena": true,
		"/kreator/porownaj?rodzina=gpu&czesc=RTX+5090": true, "/kreator/czesc?rodzaj=psu": true,
		"/kreator/czesc?nazwa=RTX+5090&rodzaj=gpu": true, "/kreator/czesc?nazwa=czekaj%3D1&rodzaj=gpu": true,
		"/kreator/czesc?czekaj=1&nazwa=RTX+5090&rodzaj=gpu":       false,
		"/kreator/czesc?cpu=Ryzen+7&czekaj=1&nazwa=GT&rodzaj=gpu": false,
		"/kreator/czesc?rodzaj=gpu&nazwa=RTX+5090&czekaj=1":       false,
		"/kreator/oferty?rodzaj=gpu&nazwa=RTX+5090":               false,
		"/kreator/zestaw?gpu=RTX+5090&czekaj=1":                   false,
		"/kreator/ceny?gpu=RTX+5090":                              false,
		"/kreator/z/1abc":                                         false,
		"/api/prices/ceneo?q=RTX+5090":                            false,
		"/niedostepne/429":                                        false,
	} {
		if got := rules.TestAgent(path, "Googlebot"); got != want {
			t.Errorf("%s: allowed is %v", path, got)
		}
	}
}
