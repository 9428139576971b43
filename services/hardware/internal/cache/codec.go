package cache

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

// errFormat is returned for bytes that this version of the codec did not write,
// or that were cut or changed since.
var errFormat = errors.New("unknown format of a kept answer")

// format is the first byte of everything the codec writes; a change of the
// layout gets a new one, so that replicas of two versions can share a Redis.
const format = 1

// prelude is the length of the format and the checksum of all that follows.
const prelude = 1 + crc32.Size

// header is what precedes an answer's payload, as JSON. Failed is set instead of
// the rest when the outcome is a fault.
type header struct {
	Ends      []int     `json:"ends,omitempty"`
	Source    string    `json:"source,omitempty"`
	Digest    string    `json:"digest,omitempty"`
	FetchedAt time.Time `json:"fetchedAt"`
	ExpiresAt time.Time `json:"expiresAt"`
	Shareable bool      `json:"shareable,omitempty"`
	Failed    *failed   `json:"failed,omitempty"`
}

// failed is a fault without its cause, which is for the log of the replica that
// saw it.
type failed struct {
	Kind       fault.Kind    `json:"kind"`
	Code       string        `json:"code"`
	Message    string        `json:"message"`
	RetryAfter time.Duration `json:"retryAfter"`
}

// encodeOutcome writes: format, CRC-32 of the rest (big endian), length of the
// header (uvarint), header, payload.
func encodeOutcome(o hardware.Outcome) ([]byte, error) {
	h, payload := header{}, []byte(nil)
	if f := o.Fault; f != nil {
		h.Failed = &failed{Kind: f.Kind, Code: f.Code, Message: f.Message, RetryAfter: f.RetryAfter}
	} else {
		a := o.Answer
		h = header{Ends: a.Ends, Source: a.Source, Digest: a.Digest, FetchedAt: a.FetchedAt, ExpiresAt: a.ExpiresAt, Shareable: a.Shareable}
		payload = a.Payload
	}
	head, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encode outcome: %w", err)
	}
	out := make([]byte, prelude, prelude+binary.MaxVarintLen64+len(head)+len(payload))
	out = binary.AppendUvarint(out, uint64(len(head)))
	out = append(append(out, head...), payload...)
	out[0] = format
	binary.BigEndian.PutUint32(out[1:], crc32.ChecksumIEEE(out[prelude:]))
	return out, nil
}

func decodeOutcome(data []byte) (hardware.Outcome, error) {
	if len(data) < prelude || data[0] != format || binary.BigEndian.Uint32(data[1:]) != crc32.ChecksumIEEE(data[prelude:]) {
		return hardware.Outcome{}, errFormat
	}
	head, payload, ok := cutPrefixed(data[prelude:])
	if !ok {
		return hardware.Outcome{}, errFormat
	}
	var h header
	if err := json.Unmarshal(head, &h); err != nil {
		return hardware.Outcome{}, fmt.Errorf("%w: %w", errFormat, err)
	}
	if f := h.Failed; f != nil {
		return hardware.Outcome{Fault: &fault.Error{Kind: f.Kind, Code: f.Code, Message: f.Message, RetryAfter: f.RetryAfter}}, nil
	}
	a := &hardware.Answer{
		Payload: bytes.Clone(payload), // else the header would stay in memory with it
		Ends:    h.Ends, Source: h.Source, Digest: h.Digest,
		FetchedAt: h.FetchedAt, ExpiresAt: h.ExpiresAt, Shareable: h.Shareable,
	}
	return hardware.Outcome{Answer: a}, checkEnds(a)
}

// checkEnds makes sure that no end can reach past the payload.
func checkEnds(a *hardware.Answer) error {
	before := 0
	for _, end := range a.Ends {
		if end < before || end > len(a.Payload) {
			return errFormat
		}
		before = end
	}
	return nil
}

func encodeAnswer(a *hardware.Answer) ([]byte, error) {
	return encodeOutcome(hardware.Outcome{Answer: a})
}

func decodeAnswer(data []byte) (*hardware.Answer, error) {
	o, err := decodeOutcome(data)
	switch {
	case err != nil:
		return nil, err
	case o.Answer == nil:
		return nil, errFormat
	}
	return o.Answer, nil
}

// cutPrefixed splits what begins with its length (uvarint) from what follows it.
func cutPrefixed(data []byte) (head, rest []byte, ok bool) {
	length, n := binary.Uvarint(data)
	if n <= 0 {
		return nil, nil, false
	}
	rest = data[n:]
	if length > uint64(len(rest)) {
		return nil, nil, false
	}
	return rest[:length], rest[length:], true
}
