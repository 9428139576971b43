package match

import (
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

func TestKindOfDepartment(t *testing.T) {
	for department, want := range map[string]string{
		"Karty graficzne": "gpu", "Procesory": "cpu", "Pamięci RAM": "ram", "Płyty główne": "motherboard",
		"Dyski SSD": "storage", "Dyski zewnętrzne": "storage", "Zasilacze komputerowe": "psu", "Chłodzenie procesorów": "cooling",
		"Wentylatory i chłodzenie": "cooling", "Obudowy komputerowe": "case", "Podzespoły komputerowe": "", "": "",
		"Laptopy": wholePC, "Komputery stacjonarne": wholePC, "Serwery plików NAS": wholePC, "Zasilacze do laptopów": wholePC,
		"Karty pamięci": otherGoods, "Pamięci USB": otherGoods, "Zasilacze awaryjne UPS": otherGoods,
		"Zasilacze LED": otherGoods, "Obudowy na dyski": otherGoods, "Akcesoria do kart graficznych": otherGoods, "Tablety graficzne": otherGoods,
		"Krzesła komputerowe": otherGoods, "Aparaty bezlusterkowe": otherGoods, "Kamery przemysłowe": otherGoods,
	} {
		if got := kindOfDepartment(department); got != want {
			t.Errorf("%q: %q, want %q", department, got, want)
		}
	}
}

func TestTheRowsOwnCategoryDecides(t *testing.T) {
	for _, tt := range []struct {
		query, department string
		hint              catalog.Category
		fits              bool
	}{
		{query: "RTX 4060", department: "Karty graficzne", fits: true},
		{query: "RTX 4060", department: "Karty graficzne", hint: "gpu", fits: true},
		{query: "RTX 4060", department: "Podzespoły komputerowe", fits: true},
		{query: "RTX 4060", department: "", fits: true},
		{query: "RTX 4060", department: "Komputery do gier"},
		{query: "RTX 4060", department: "Laptopy"},
		{query: "laptop RTX 4060", department: "Laptopy", fits: true},
		{query: "RTX 4060", department: "Chłodzenie komputerowe"},
		{query: "RTX 4060", department: "Akcesoria do kart graficznych"},
		{query: "RTX 4060", department: "Kable i przejściówki"},
		{query: "RTX 4060", department: "Karty graficzne", hint: "cpu"},
		{query: "Freezer 36", department: "Chłodzenie procesorów", hint: "cooling", fits: true},
		{query: "Freezer 36", department: "Chłodzenie procesorów", hint: "cpu"},
		{query: "Freezer 36", department: "Chłodzenie procesorów", fits: true},
		{query: "MX Keys", department: "Klawiatury", fits: true},
		{query: "Pamięć Crucial 16GB", department: "Pamięci RAM", fits: true},
		{query: "Pamięć Crucial 16GB", department: "Pamięci do laptopów"},
		{query: "zasilacz 90W", department: "Zasilacze do laptopów"},
		{query: "RTX 4060", department: "Konsole"},
	} {
		q := catalog.Query{Text: tt.query, Category: tt.hint}
		if _, ok := Best(q, []Candidate{{Name: tt.query, Department: tt.department}}); ok != tt.fits {
			t.Errorf("%q (%s) in %q: %t", tt.query, tt.hint, tt.department, ok)
		}
	}
}
