package aggregator

import (
	"encoding/base64"
	"strconv"

	"backend.example/deploy/sandbox/aggregator/catalogue"
	"backend.example/deploy/sandbox/internal/seeded"
)

// clickTokenSize is the length in bytes of what an offer link hides.
const clickTokenSize = 54

func productPath(product catalogue.Product) string { return "/" + strconv.Itoa(product.ID) }

// clickPath is the counted link to a shop's offer, the same one for the same
// words. On the real site a request to it costs the shop money.
func clickPath(words ...string) string {
	random := seeded.Rand(append([]string{"click"}, words...)...)
	token := make([]byte, clickTokenSize)
	for i := range token {
		token[i] = byte(random.UintN(256))
	}
	return "/Click/Offer/?e=" + base64.RawURLEncoding.EncodeToString(token) + "&a=2"
}
