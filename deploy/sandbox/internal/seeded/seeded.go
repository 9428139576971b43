// Package seeded owns the repeatable chance of the stand-ins: numbers that
// look random and depend on nothing but the words they are asked for, so that
// every start of the sandbox serves the same rows and prices. What is made of
// the numbers stays in the stand-ins.
package seeded

import (
	"hash/fnv"
	"math/rand/v2"
)

// stream is the fixed second half of the PCG seed; the words give the first.
const stream = 0x9e3779b97f4a7c15

// Rand returns a generator that gives the same sequence for the same words.
func Rand(words ...string) *rand.Rand {
	return rand.New(rand.NewPCG(sum(words), stream)) // #nosec G404 -- repeatable on purpose, guards nothing
}

// IntN returns a number in [0, n) that is the same for the same words.
// It panics when n is not positive, as math/rand/v2 does.
func IntN(n int, words ...string) int {
	return Rand(words...).IntN(n)
}

// Pick returns one of the choices, always the same one for the same words.
func Pick[T any](choices []T, words ...string) T {
	return choices[IntN(len(choices), words...)]
}

func sum(words []string) uint64 {
	hash := fnv.New64a()
	for _, word := range words {
		_, _ = hash.Write([]byte(word)) // a hash never fails
		_, _ = hash.Write([]byte{0})
	}
	return hash.Sum64()
}
