package fits

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/catalog"
)

// readBuild reads "category name; category name".
func readBuild(text string) (parts []Part) {
	for part := range strings.SplitSeq(text, "; ") {
		category, name, _ := strings.Cut(part, " ")
		parts = append(parts, Read(catalog.Category(category), name))
	}
	return parts
}

func TestChecks(t *testing.T) {
	const (
		watts   = "Szacujemy do "
		room    = "Obudowa mieści płyty do "
		noRoom  = "Z nazw nie wynika, jakie płyty mieści obudowa."
		bios    = "Procesor jest nowszy od chipsetu płyty, więc może wymagać nowszego BIOS-u."
		noMount = "Nazwa chłodzenia nie mówi, czy ma mocowanie do gniazda płyty."
	)
	for build, want := range map[string]Check{
		"motherboard MSI B650 Tomahawk; cooling Arctic Freezer 36 AM5 LGA1700": {
			Verdict: Compatible, Reason: "Nazwa chłodzenia wymienia gniazdo AM5."},
		"motherboard MSI B650 Tomahawk; cooling be quiet! Dark Rock 4": {Verdict: Unknown, Reason: noMount},
		"motherboard Onda XYZ; cooling Arctic Freezer 36 AM5":          {Verdict: Unknown, Reason: noMount},
		"motherboard MSI B650 Tomahawk; case NZXT H510 Midi Tower": {
			Verdict: Compatible, Reason: room + "ATX, a ta ma format ATX."},
		"motherboard ASRock B650M PG Riptide; case Cooler Master Q300L micro-ATX": {
			Verdict: Compatible, Reason: room + "Micro-ATX, a ta ma format Micro-ATX."},
		"motherboard MSI B650 Tomahawk; case Cooler Master Q300L mATX": {
			Verdict: Incompatible, Reason: room + "Micro-ATX, a ta ma format ATX."},
		"motherboard ASUS ROG STRIX B650E-I; case Fractal Design Terra Mini-ITX": {
			Verdict: Compatible, Reason: room + "Mini-ITX, a ta ma format Mini-ITX."},
		"motherboard ASRock A520M-ITX/ac; case Fractal Design Terra Mini ITX": {
			Verdict: Compatible, Reason: room + "Mini-ITX, a ta ma format Mini-ITX."},
		"motherboard ASUS X870E HERO E-ATX; case Corsair 4000D ATX": {
			Verdict: Incompatible, Reason: room + "ATX, a ta ma format E-ATX."},
		"motherboard MSI B650 Tomahawk; case Endorfy Signum 300": {Verdict: Unknown, Reason: noRoom},
		"motherboard MSI B650 Tomahawk; storage Samsung 990 PRO 2TB M.2 NVMe": {
			Verdict: Compatible, Reason: "Płyty z gniazdem AM5 mają gniazdo M.2."},
		"motherboard ASUS H110M-K; storage Lexar NM790 NVMe": {
			Verdict: Unknown, Reason: "Sprawdź, czy płyta ma gniazdo M.2."},
		"psu Corsair RM850x; gpu Gigabyte RTX 4070 Ti SUPER Windforce": {
			Verdict: Compatible, Reason: watts + "535 W (karta 285, procesor 150, reszta 100), a zasilacz ma 850 W."},
		"psu be quiet! Pure Power 12 M 650W; gpu MSI RTX 5090; cpu Intel Core i9-14900K": {
			Verdict: Incompatible, Reason: watts + "925 W (karta 575, procesor 250, reszta 100), a zasilacz ma 650 W."},
		"psu Seasonic Focus GX-750; gpu Sapphire Pulse RX 9070XT": {
			Verdict: Compatible, Reason: watts + "554 W (karta 304, procesor 150, reszta 100), a zasilacz ma 750 W."},
		"psu SilentiumPC Vero; gpu RTX 4060": {Verdict: Unknown,
			Reason: "Z nazw nie wynika moc zasilacza albo karty."},
		"cpu Ryzen 7 9700X; motherboard MSI B650 Tomahawk": {Verdict: Compatible, Reason: bios},
		"cpu Ryzen 7 9700X; motherboard MSI B850 Tomahawk": {Verdict: Compatible},
		"cpu i5-14600K; motherboard MSI PRO Z690-A DDR4":   {Verdict: Compatible, Reason: bios},
		"cpu i5-12400F; motherboard MSI PRO B760M-P DDR4":  {Verdict: Compatible},
		"cpu Ryzen 7 9700X; motherboard Gigabyte TRX50": {Verdict: Unknown,
			Reason: "Sprawdź na stronie producenta płyty."},
		"cpu Ryzen 7 9700X; motherboard MSI Z790 Tomahawk": {Verdict: Incompatible},
	} {
		checks := Checks(readBuild(build))
		if len(checks) != 1 {
			t.Errorf("%s: %d checks, want 1", build, len(checks))
			continue
		}
		got := checks[0]
		got.Parts = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", build, diff)
		}
	}
}

func TestNothingToCheck(t *testing.T) {
	for _, build := range []string{
		"motherboard MSI B650 Tomahawk", "psu Corsair RM850x", "motherboard MSI B650; storage Seagate Barracuda 2TB",
	} {
		if got := Checks(readBuild(build)); len(got) > 0 {
			t.Errorf("%s: %+v", build, got)
		}
	}
}

func TestSizeAndPowerOfNames(t *testing.T) {
	type known struct {
		Size  string
		Watts int
	}
	for name, want := range map[string]known{
		"motherboard MSI B650M Project Zero":                  {"Micro-ATX", 0},
		"motherboard ASUS ROG STRIX B650E-I":                  {"Mini-ITX", 0},
		"motherboard MSI B650 Tomahawk":                       {"ATX", 0},
		"motherboard Onda XYZ":                                {"", 0},
		"case Fractal Design Pop Mini, Micro-ATX, Mini-ITX":   {"Micro-ATX", 0},
		"case Endorfy Arx 700 Big Tower":                      {"E-ATX", 0},
		"case Lian Li Lancool 216, E-ATX, ATX, mATX":          {"E-ATX", 0},
		"psu Corsair SF750 SFX 750W":                          {"SFX", 750},
		"psu be quiet! SFX-L Power 600W":                      {"SFX-L", 600},
		"psu Seasonic Focus GX-850 ATX 3.1":                   {"ATX", 850},
		"psu SilentiumPC Vero":                                {"", 0},
		"gpu Gigabyte RTX 4070 850W, which has none of these": {"", 0},
	} {
		part := readBuild(name)[0]
		if diff := cmp.Diff(want, known{part.Size, part.Watts}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
