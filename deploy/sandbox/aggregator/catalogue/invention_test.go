package catalogue

import "testing"

func TestTheOldestInventionsAreForgotten(t *testing.T) {
	memory := newInventions()
	for id := range maxInventions {
		memory.remember([]Product{{ID: id}})
	}
	memory.remember([]Product{{ID: 1}}) // known already: nothing has to go
	if _, known := memory.product(0); !known {
		t.Fatal("forgot one although there was room")
	}
	memory.remember([]Product{{ID: maxInventions}})
	for id, want := range map[int]bool{0: false, 1: true, maxInventions: true} {
		if _, known := memory.product(id); known != want {
			t.Errorf("product %d known: %t, want %t", id, known, want)
		}
	}
}
