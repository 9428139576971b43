package places

import (
	"reflect"
	"testing"
)

func TestAgo(t *testing.T) {
	for days, want := range map[int]string{
		1: "dzień temu", 4: "4 dni temu", 6: "6 dni temu", 7: "tydzień temu", 19: "2 tygodnie temu",
		33: "miesiąc temu", 71: "2 miesiące temu", 160: "5 miesięcy temu",
	} {
		if got := ago(days); got != want {
			t.Errorf("ago(%d) = %q, want %q", days, got, want)
		}
	}
}

func TestEveryFieldHasAPrice(t *testing.T) {
	for field := range reflect.TypeFor[place]().Fields() {
		if classOf(field.Tag.Get("sku")) < 0 {
			t.Errorf("%s has no known price", field.Name)
		}
	}
}
