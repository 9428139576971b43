package httpapi

import "github.com/maypok86/otter/v2"

// maxBodies is how many bytes of keys and bodies are kept at most.
const maxBodies = 8 << 20

// bodies keeps encoded bodies that may be asked for again.
type bodies = otter.Cache[string, []byte]

func newBodies() *bodies {
	return otter.Must(&otter.Options[string, []byte]{
		MaximumWeight: maxBodies,
		Weigher:       func(key string, body []byte) uint32 { return uint32(len(key) + len(body)) }, // #nosec G115 -- a hundred audits are far below 4 GiB
	})
}
