package hardware_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

// gunzip reads one member, and nothing may follow it: browsers stop there.
func gunzip(t *testing.T, parts ...[]byte) []byte {
	t.Helper()
	from := bytes.NewReader(bytes.Join(parts, nil))
	r, err := gzip.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	r.Multistream(false)
	body, err := io.ReadAll(r)
	if err != nil || from.Len() > 0 {
		t.Fatalf("%v, %d bytes behind the end", err, from.Len())
	}
	return body
}

func TestGzipHoldsTheSameBody(t *testing.T) {
	plain, err := hardware.EncodeRanking("userbenchmark.com", ranks(303))
	if err != nil {
		t.Fatal(err)
	}
	packed := plain.Packed()
	for _, limit := range []int{1, 9, 10, 11, 199, 200, 201, 299, 300, 303, 500} {
		head, rows, tail := packed.RankingBody(make([]byte, hardware.GzipRoom), "gpu", limit)
		want := bytes.Join([][]byte{head[hardware.GzipRoom:], rows, tail}, nil)
		start, middle, end, ok := packed.Gzip(head, rows, tail)
		if got := gunzip(t, start, middle, end); !ok || !bytes.Equal(got, want) {
			t.Errorf("limit %d: %t, %d bytes, want %d", limit, ok, len(got), len(want))
		}
		if limit >= 199 && len(start)+len(middle)+len(end) > len(want)/3 {
			t.Errorf("limit %d: %d bytes of %d", limit, len(start)+len(middle)+len(end), len(want))
		}
	}
	if packed.Size() <= plain.Size() {
		t.Errorf("packed the answer takes %d bytes, plain %d", packed.Size(), plain.Size())
	}
}

func TestGzipOfAPrice(t *testing.T) {
	offers := make([]hardware.Offer, 5)
	for i := range offers {
		offers[i] = hardware.Offer{Store: "sklep.example", StoreLabel: "Sklep", Price: float64(100 + i), URL: "https://www.ceneo.pl/" + string(bytes.Repeat([]byte{'a' + byte(i)}, 300))}
	}
	plain, err := hardware.EncodePrice("ceneo.pl", hardware.Finding{ProductName: "RTX 4070", Offers: offers}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	a := plain.Packed()
	head, rows := a.PriceBody(make([]byte, hardware.GzipRoom), `rtx "4070"`)
	want := bytes.Join([][]byte{head[hardware.GzipRoom:], rows}, nil)
	start, middle, end, ok := a.Gzip(head, rows, nil)
	if got := gunzip(t, start, middle, end); !ok || !bytes.Equal(got, want) {
		t.Errorf("%t, %s, want %s", ok, got, want)
	}
}

// TestPackedOnce: packing again gives the same answer, and a short one stays plain.
func TestPackedOnce(t *testing.T) {
	long, err := hardware.EncodeRanking("userbenchmark.com", ranks(100))
	if err != nil {
		t.Fatal(err)
	}
	if first := long.Packed(); first == long || first.Packed() != first {
		t.Error("packed again, or in place")
	}
	short, err := hardware.EncodeRanking("userbenchmark.com", ranks(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, ok := short.Packed().Gzip(nil, short.Payload, nil); ok || short.Packed() != short {
		t.Error("a short answer is packed")
	}
}

// ranks are n rows.
func ranks(n int) []hardware.Row {
	rows := make([]hardware.Row, n)
	for i := range rows {
		rows[i] = hardware.Row{Type: "GPU", Model: fmt.Sprintf("GeForce RTX %d", 1000+i), Rank: i + 1, URL: fmt.Sprintf("https://gpu.userbenchmark.com/SpeedTest/%d", 4000000+i*37)}
	}
	return rows
}
