package lookup

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"backend.example/services/internal/kit/fault"
)

// ErrFormat is returned for bytes that this version of the codec did not write,
// or that were cut or changed since.
var ErrFormat = errors.New("unknown format of a kept answer")

// format is the first byte of everything that the codec writes. A change of the layout,
// or of a value's fields, needs a new one, so that replicas of two versions can share a
// Redis.
const format = 7

// prefixLength is that of the format and the checksum of all that follows.
const prefixLength = 1 + crc32.Size

// stored is an outcome as JSON: a value or a fault.
type stored[V Value] struct {
	Value *V
	Lifetime
	Fault *fault.Error // without its cause, which only the replica that saw it logs
}

// encodeOutcome writes: format, CRC-32 of the rest (big endian), JSON.
func encodeOutcome[V Value](o Outcome[V]) ([]byte, error) {
	var s stored[V]
	if o.Fault != nil {
		f := *o.Fault
		f.Err = nil
		s.Fault = &f
	} else {
		s.Value, s.Lifetime = &o.Answer.Value, o.Answer.Lifetime
	}
	out := bytes.NewBuffer(make([]byte, prefixLength))
	if err := json.NewEncoder(out).Encode(s); err != nil {
		return nil, fmt.Errorf("encode outcome: %w", err)
	}
	data := out.Bytes()
	data[0] = format
	binary.BigEndian.PutUint32(data[1:], crc32.ChecksumIEEE(data[prefixLength:]))
	return data, nil
}

func decodeOutcome[V Value](data []byte) (Outcome[V], error) {
	if len(data) < prefixLength || data[0] != format {
		return Outcome[V]{}, ErrFormat
	}
	if binary.BigEndian.Uint32(data[1:]) != crc32.ChecksumIEEE(data[prefixLength:]) {
		return Outcome[V]{}, ErrFormat
	}
	var s stored[V]
	if err := json.Unmarshal(data[prefixLength:], &s); err != nil {
		return Outcome[V]{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	switch {
	case s.Fault != nil:
		return Outcome[V]{Fault: s.Fault}, nil
	case s.Value == nil:
		return Outcome[V]{}, ErrFormat
	}
	return Outcome[V]{Answer: &Answer[V]{Value: *s.Value, Lifetime: s.Lifetime}}, nil
}

// EncodeAnswer returns an answer as bytes, with a checksum.
func EncodeAnswer[V Value](a *Answer[V]) ([]byte, error) {
	return encodeOutcome(Outcome[V]{Answer: a})
}

// DecodeAnswer reads what EncodeAnswer of this version has returned.
func DecodeAnswer[V Value](data []byte) (*Answer[V], error) {
	o, err := decodeOutcome[V](data)
	switch {
	case err != nil:
		return nil, err
	case o.Answer == nil:
		return nil, ErrFormat
	}
	return o.Answer, nil
}
