package hardware

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sync"
)

// packed is a payload in DEFLATE (RFC 1951). It is flushed to a whole byte behind
// every stretch of rows and behind the last row, so that any number of first stretches
// is a prefix of it, too.
type packed struct {
	data  []byte
	marks []mark // the places where it can be cut, in order, beginning with none
}

// mark says that plain bytes of the payload are packed bytes of the data.
type mark struct{ plain, packed int }

// stretch is how many rows are between two marks: fewer make the data longer, more
// leave more rows to be sent as they are.
const stretch = 10

// minPacked is the shortest payload that is worth packing, in bytes.
const minPacked = 1024

// Packed returns the answer with its payload compressed, too, for Gzip: as much of it
// as can be asked for. A short one stays as it is.
func (a *Answer) Packed() *Answer {
	if a.packed != nil || len(a.Payload) < minPacked {
		return a
	}
	with := *a
	payload, ends := a.Payload, a.Ends
	if len(ends) > MaxLimit {
		payload, ends = payload[:ends[MaxLimit-1]], ends[:MaxLimit]
	}
	with.packed = pack(payload, ends)
	return &with
}

// packers are kept, because each holds about a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.DefaultCompression) // fails for unknown levels only
	return w
}}

func pack(payload []byte, ends []int) *packed {
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	p := &packed{marks: []mark{{}}}
	cut := func(end int) {
		_, _ = w.Write(payload[p.marks[len(p.marks)-1].plain:end]) // a buffer never fails
		_ = w.Flush()
		p.marks = append(p.marks, mark{end, out.Len()})
	}
	for n := stretch; n < len(ends); n += stretch {
		cut(ends[n-1])
	}
	cut(len(payload))
	p.data = slices.Clip(bytes.Clone(out.Bytes()))
	return p
}

// before is the last mark within the first length bytes of the payload.
func (p *packed) before(length int) mark {
	i, found := slices.BinarySearchFunc(p.marks, length, func(m mark, length int) int { return m.plain - length })
	if !found {
		i--
	}
	return p.marks[i]
}

func (p *packed) size() int {
	if p == nil {
		return 0
	}
	return cap(p.data) + 16*cap(p.marks)
}

// gzipHeader is that of a file without a name and a date (RFC 1952).
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// GzipRoom is what Gzip puts before the head of a body, in bytes.
const GzipRoom = len(gzipHeader) + storedSize

// Gzip makes of the three consecutive parts of a body those of the same body in gzip.
// The first GzipRoom bytes of head are free and do not belong to the body; rows is as
// RankingBody and PriceBody return it. Nothing is compressed: head, tail and the few
// rows behind the last mark are stored as they are. It reports false, and returns what
// it was given, when the answer is not packed.
func (a *Answer) Gzip(head, rows, tail []byte) (gzHead, gzRows, gzTail []byte, ok bool) {
	if a.packed == nil {
		return head, rows, tail, false
	}
	text, last := head[GzipRoom:], a.packed.before(len(rows))
	rest := rows[last.plain:]
	sum := crc32.Update(crc32.Update(crc32.ChecksumIEEE(text), crc32.IEEETable, rows), crc32.IEEETable, tail)
	startStored(append(head[:0], gzipHeader...), len(text), 0)
	end := startStored(head[len(head):], len(rest)+len(tail), 1)
	end = append(append(end, rest...), tail...)
	end = binary.LittleEndian.AppendUint32(end, sum)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(text)+len(rows)+len(tail))) // #nosec G115 -- bodies are capped far below 4 GiB
	return head, a.packed.data[:last.packed], end, true
}

// storedSize is the length of what precedes the text of a stored block, in bytes.
const storedSize = 5

// startStored appends what precedes a text of that length, below 64 KiB, which stands
// in a DEFLATE block of its own without compression; final is 1 for the last block.
func startStored(out []byte, length int, final byte) []byte {
	out = append(out, final)
	out = binary.LittleEndian.AppendUint16(out, uint16(length))   // #nosec G115 -- see above
	return binary.LittleEndian.AppendUint16(out, ^uint16(length)) // #nosec G115 -- see above
}
