// Package fits decides which parts go together, as their names reveal it: processor, motherboard and memory by
// socket and type of memory (platform.go), other parts by the rules of build.go. Parts are compatible only if all
// that decides is known of both.
package fits

import (
	"slices"
	"strings"

	"backend.example/services/hardware/internal/catalog"
)

// Verdict says whether parts go together.
type Verdict string

// The verdicts. The empty one means that there is nothing to compare.
const (
	Compatible   Verdict = "compatible"
	Incompatible Verdict = "incompatible"
	Unknown      Verdict = "unknown"
)

// Part is what the name of a part reveals. What is unknown is empty or zero.
type Part struct {
	Category catalog.Category
	Socket   string   // "AM5", of processors and motherboards
	Memory   []string // types that it is or takes, "DDR4"
	Size     string   // "Micro-ATX", of motherboards, cases and power supplies
	Watts    int      // output of a power supply
	names    string
	chipset  string
}

// Read returns what the names of one part reveal, such as a query and the product found for it. Names that
// contradict each other reveal nothing.
func Read(category catalog.Category, names ...string) Part {
	p := Part{Category: category, names: normalize(strings.Join(names, "\n"))}
	switch category {
	case "cpu":
		if f, _ := onlyMatch(p.names, processorOf); f != nil {
			p.Socket, p.Memory = f.socket, f.memory
		}
	case "motherboard":
		p.readBoard()
		p.Size = p.sizeOf()
	case "case":
		p.Size = p.sizeOf()
	case "psu":
		p.Size = p.sizeOf()
		p.Watts = p.wattsOf()
	case "ram":
		if !otherModules.MatchString(p.names) {
			p.Memory = memoryIn(p.names)
		}
		if len(p.Memory) > 1 {
			p.Memory = nil
		}
	}
	return p
}

func (p *Part) readBoard() {
	f, chipset := onlyMatch(p.names, boardOf)
	if f == nil {
		return
	}
	p.Socket = f.socket
	p.chipset = chipset
	p.Memory = memoryIn(p.names)
	switch {
	case len(f.memory) == 1 && len(p.Memory) == 0:
		p.Memory = f.memory
	case len(f.memory) > 0 && !overlap(f.memory, p.Memory):
		p.Memory = nil
	}
}

// String returns what is known of p, "AM5, DDR5".
func (p Part) String() string {
	known := strings.Join(p.Memory, "/")
	if p.Socket != "" && known != "" {
		return p.Socket + ", " + known
	}
	return p.Socket + known
}

// Verdicts returns for each part whether it goes with all the others.
func Verdicts(parts []Part) []Verdict {
	verdicts := make([]Verdict, len(parts))
	for _, check := range Checks(parts) {
		for _, i := range check.Parts {
			if check.Verdict.isWorseThan(verdicts[i]) {
				verdicts[i] = check.Verdict
			}
		}
	}
	return verdicts
}

func (v Verdict) isWorseThan(o Verdict) bool {
	order := []Verdict{"", Compatible, Unknown, Incompatible}
	return slices.Index(order, v) > slices.Index(order, o)
}

func (p Part) concerns(o Part) bool {
	return p.Category != o.Category && p.isRelevant() && o.isRelevant()
}

func (p Part) isRelevant() bool {
	return p.Category == "cpu" || p.Category == "motherboard" || p.Category == "ram"
}

func (p Part) with(o Part) Verdict {
	if len(p.Memory) > 0 && len(o.Memory) > 0 && !overlap(p.Memory, o.Memory) {
		return Incompatible
	}
	if p.Category == "ram" || o.Category == "ram" {
		return known(len(p.Memory) > 0 && len(o.Memory) > 0)
	}
	if p.Socket != "" && o.Socket != "" && p.Socket != o.Socket {
		return Incompatible
	}
	return known(p.Socket != "" && o.Socket != "" && !p.isAmong(doubts, o) && !o.isAmong(doubts, p))
}

func known(both bool) Verdict {
	if both {
		return Compatible
	}
	return Unknown
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
