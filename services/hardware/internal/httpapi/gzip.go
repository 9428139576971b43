package httpapi

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"sync"
)

// compressed is a payload in DEFLATE (RFC 1951). It is flushed to a whole byte behind
// every span of rows and behind the last row, so that any number of first spans is a
// prefix of it, too.
type compressed struct {
	data  []byte
	marks []mark // the places where it can be cut, in order, beginning with none
}

// mark says that plain bytes of the payload are packed bytes of the data.
type mark struct{ plain, packed int }

// spanRows is how many rows are between two marks: fewer make the data longer, more
// leave more rows to be sent as they are.
const spanRows = 10

// minCompressed is the shortest payload that is worth compressing, in bytes.
const minCompressed = 1024

// deflaters are kept, because each holds about a megabyte.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.DefaultCompression) // fails for unknown levels only
	return w
}}

// compress returns nil for a payload that is too short to be worth it.
func compress(payload []byte, ends []int) *compressed {
	if len(payload) < minCompressed {
		return nil
	}
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	c := &compressed{marks: []mark{{}}}
	cut := func(end int) {
		_, _ = w.Write(payload[c.marks[len(c.marks)-1].plain:end]) // a buffer never fails
		_ = w.Flush()
		c.marks = append(c.marks, mark{end, out.Len()})
	}
	for n := spanRows; n < len(ends); n += spanRows {
		cut(ends[n-1])
	}
	cut(len(payload))
	c.data = slices.Clip(bytes.Clone(out.Bytes()))
	return c
}

// before is the last mark within the first length bytes of the payload.
func (c *compressed) before(length int) mark {
	i, found := slices.BinarySearchFunc(c.marks, length, func(m mark, length int) int { return m.plain - length })
	if !found {
		i--
	}
	return c.marks[i]
}

func (c *compressed) size() int {
	if c == nil {
		return 0
	}
	return cap(c.data) + 16*cap(c.marks)
}

// gzipHeader is that of a file without a name and a date (RFC 1952).
const gzipHeader = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// gzipSpace is what gzip puts before the head of a body, in bytes.
const gzipSpace = len(gzipHeader) + storedSize

// gzip makes of the three consecutive parts of a body those of the same body in gzip.
// The first gzipSpace bytes of head are free and do not belong to the body; rows is the
// part that is compressed. Nothing is compressed here: head, tail and the few rows
// behind the last mark are stored as they are.
func (c *compressed) gzip(head, rows, tail []byte) (gzHead, gzRows, gzTail []byte) {
	text, last := head[gzipSpace:], c.before(len(rows))
	rest := rows[last.plain:]
	sum := crc32.Update(crc32.Update(crc32.ChecksumIEEE(text), crc32.IEEETable, rows), crc32.IEEETable, tail)
	startStored(append(head[:0], gzipHeader...), len(text), 0)
	end := startStored(head[len(head):], len(rest)+len(tail), 1)
	end = append(append(end, rest...), tail...)
	end = binary.LittleEndian.AppendUint32(end, sum)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(text)+len(rows)+len(tail))) // #nosec G115 -- bodies are capped far below 4 GiB
	return head, c.data[:last.packed], end
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
