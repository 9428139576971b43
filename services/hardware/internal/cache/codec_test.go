package cache

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

// noon is when the answers of these tests were fetched.
var noon = time.Date(2026, time.November, 21, 12, 0, 0, 123456789, time.UTC)

// samples are outcomes as the domain makes them.
func samples() map[string]hardware.Outcome {
	return map[string]hardware.Outcome{
		"ranking": {Answer: &hardware.Answer{
			Payload: []byte(`{"rank":1},{"rank":2}`), Ends: []int{10, 21}, Source: "example.com", Digest: "digest",
			FetchedAt: noon, ExpiresAt: noon.Add(24 * time.Hour), Shareable: true,
		}},
		"price": {Answer: &hardware.Answer{
			Payload: []byte(`,"source":"example.pl"}`), Digest: "digest",
			FetchedAt: noon, ExpiresAt: noon.Add(24 * time.Hour), Shareable: true,
		}},
		"nothing matched": {Answer: &hardware.Answer{Payload: []byte(`,"offers":[]}`), Digest: "digest", FetchedAt: noon}},
		"empty ranking":   {Answer: &hardware.Answer{Payload: []byte{}, Source: "local-fallback", FetchedAt: noon}},
		"fault": {Fault: &fault.Error{
			Kind: fault.Unavailable, Code: "throttle_queue_full", Message: "Spróbuj ponownie za chwilę.", RetryAfter: 1500 * time.Millisecond,
		}},
		"internal fault": {Fault: &fault.Error{Code: "internal"}},
	}
}

func encoded(t testing.TB, o hardware.Outcome) []byte {
	t.Helper()
	data, err := encodeOutcome(o)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCodecRoundTrip(t *testing.T) {
	for name, want := range samples() {
		got, err := decodeOutcome(encoded(t, want))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestCodecKeepsTheCauseToItself(t *testing.T) {
	o := hardware.Outcome{Fault: fault.Wrap(errors.New("dial tcp 10.0.0.1: refused"), fault.Upstream, "source_unavailable", "Źródło nie odpowiada.")}
	got, err := decodeOutcome(encoded(t, o))
	if err != nil {
		t.Fatal(err)
	}
	if got.Fault.Err != nil || got.Fault.Code != o.Fault.Code {
		t.Fatalf("got %+v, want the fault without its cause", got.Fault)
	}
}

// TestCodecRefusesDamage cuts every sample everywhere, and changes every byte.
func TestCodecRefusesDamage(t *testing.T) {
	for name, o := range samples() {
		whole := encoded(t, o)
		for n := range whole {
			if _, err := decodeOutcome(whole[:n]); !errors.Is(err, errFormat) {
				t.Errorf("%s cut to %d of %d bytes: error %v", name, n, len(whole), err)
			}
			changed := slices.Clone(whole)
			changed[n] ^= 0x20
			if _, err := decodeOutcome(changed); !errors.Is(err, errFormat) {
				t.Errorf("%s with byte %d changed: error %v", name, n, err)
			}
		}
		if _, err := decodeOutcome(append(whole, '}')); !errors.Is(err, errFormat) {
			t.Errorf("%s with a byte more: error %v", name, err)
		}
	}
}

func TestCodecRefusesForeignFormats(t *testing.T) {
	newer := encoded(t, samples()["price"])
	newer[0] = format + 1
	for name, data := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "json": []byte(`{"payload":"x"}`), "newer format": newer,
		"header is no json":    framed([]byte{2, '{', '{'}),
		"header is too long":   framed([]byte{200, 1, '{', '}'}),
		"length never ends":    framed(slices.Repeat([]byte{0xff}, 12)),
		"length beyond int":    framed(binary.AppendUvarint(nil, 1<<63)),
		"end beyond payload":   framed(withHeader(`{"ends":[5]}`, "four")),
		"ends descend":         framed(withHeader(`{"ends":[4,2]}`, "four")),
		"end below zero":       framed(withHeader(`{"ends":[-1]}`, "four")),
		"end is not a number":  framed(withHeader(`{"ends":["1"]}`, "four")),
		"time is not readable": framed(withHeader(`{"fetchedAt":"noon"}`, "four")),
	} {
		if _, err := decodeOutcome(data); !errors.Is(err, errFormat) {
			t.Errorf("%s: error %v, want %v", name, err, errFormat)
		}
	}
}

func TestAnswerIsNotAFault(t *testing.T) {
	if a, err := decodeAnswer(encoded(t, samples()["fault"])); !errors.Is(err, errFormat) {
		t.Fatalf("a kept fault was read as answer %+v, error %v", a, err)
	}
}

// framed puts the format and the right checksum before body.
func framed(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{format}, crc32.ChecksumIEEE(body)), body...)
}

func withHeader(header, payload string) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(header))), header+payload...)
}

// FuzzDecodeOutcome feeds the decoder bytes as they are and with a checksum that
// fits. Whatever it accepts can be cut into rows, and encoded again.
func FuzzDecodeOutcome(f *testing.F) {
	for _, o := range samples() {
		f.Add(encoded(f, o))
		f.Add(encoded(f, o)[prelude:])
	}
	f.Add([]byte{})
	f.Add([]byte("\x0d{\"ends\":[30]}ab")) // a row that reaches past the payload
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, input := range [][]byte{data, framed(data)} {
			o, err := decodeOutcome(input)
			if err != nil {
				continue
			}
			if (o.Answer == nil) == (o.Fault == nil) {
				t.Fatalf("accepted as %+v: want an answer or a fault", o)
			}
			if o.Answer != nil {
				o.Answer.RankingBody(nil, "gpu", hardware.MaxLimit)
			}
			again, err := encodeOutcome(o)
			if err != nil {
				continue // a year that JSON cannot write
			}
			if twice, err := decodeOutcome(again); err != nil || !reflect.DeepEqual(o, twice) {
				t.Fatalf("%+v became %+v, error %v", o, twice, err)
			}
		}
	})
}
