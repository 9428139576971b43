package match

import "strconv"

// generation is the DDR generation of memory whose name does not say it, empty where
// speed and latency leave a doubt. DDR3 ends at 2400 MT/s with latencies below 13,
// DDR5 begins at 4800 with latencies of 26 and more.
func (n name) generation() string {
	speed, latency := 0, 0
	for _, t := range n.tokens {
		v, err := strconv.Atoi(t.text)
		switch {
		case err != nil:
		case t.unit == "cl":
			latency = v
		case isMemorySpeed(v) && (t.unit == "mhz" || t.unit == ""):
			speed = v
		}
	}
	switch {
	case speed >= 1333 && speed <= 1866:
		return "3"
	case speed >= 2133 && speed <= 4600 && (speed > 2400 || latency >= 14):
		return "4"
	case speed >= 4800 && (latency == 0 || latency >= 26):
		return "5"
	}
	return ""
}

// isMemorySpeed reports the range of megatransfers a second in which memory is sold.
func isMemorySpeed(v int) bool { return v >= 1066 && v <= 10000 }
