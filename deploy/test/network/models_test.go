//go:build linux

package network

import "github.com/anishathalye/porcupine"

// outcome is what a client learnt of a request.
type outcome string

const (
	granted outcome = "granted"
	refused outcome = "refused"
	unknown outcome = "unknown" // no answer: it may have been granted, at any time since
)

// atMost is a limit of so many grants, none of which is given back: an hour is longer
// than a test. With one it is a value that can be taken once.
func atMost(most int) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Partition: bySubject,
		Init:      func() []any { return []any{0} },
		Step: func(state, _, output any) []any {
			taken := state.(int)
			switch {
			case output == refused && taken == most:
				return []any{taken}
			case output == granted && taken < most:
				return []any{taken + 1}
			case output == unknown && taken < most:
				return []any{taken, taken + 1}
			case output == unknown:
				return []any{taken}
			}
			return nil
		},
	}
	return model.ToModel()
}

// bySubject parts a history by what is taken, which is the input.
func bySubject(history []porcupine.Operation) (parts [][]porcupine.Operation) {
	place := map[any]int{}
	for _, o := range history {
		i, known := place[o.Input]
		if !known {
			i = len(parts)
			place[o.Input], parts = i, append(parts, nil)
		}
		parts[i] = append(parts[i], o)
	}
	return parts
}

// renewal is the moment at which a refresh token reaches the provider, or the one at
// which a new token leaves it.
type renewal struct {
	begins bool
	token  string
}

// renewals: one at a time, each with the token that the one before brought.
var renewals = porcupine.Model{
	Init: func() any { return renewal{} },
	Step: func(state, input, _ any) (bool, any) {
		last, now := state.(renewal), input.(renewal)
		if now.begins {
			return !last.begins && (last.token == "" || last.token == now.token), now
		}
		return last.begins, now
	},
}

// pace: the input is when a request arrives, the state when it is expected.
var pace = porcupine.Model{
	Init: func() any { return int64(0) },
	Step: func(state, input, _ any) (bool, any) {
		next, inTime := leak(state.(int64), input.(int64))
		return inTime, next
	},
}
