package network

import "math"

// growth is how the followers of an account come and go.
type growth struct {
	start  int     // followers on the opening day
	joins  float64 // on a usual day
	leaves float64
}

func (g growth) joined(day Day, id string) int { return flow(g.joins, day, id, "joins") }

// left is how many leave; nobody leaves an account that nobody follows.
func (g growth) left(day Day, id string) int { return flow(g.leaves, day, id, "leaves") }

// after is the number of followers at the end of a day.
func (g growth) after(last Day, id string) int {
	followers := g.start
	for day := opening(); day <= last; day++ {
		followers = max(followers+g.joined(day, id)-g.left(day, id), 0)
	}
	return followers
}

// Part is percent of whole, rounded to the nearest.
func Part(whole int, percent float64) int {
	return int(math.Round(float64(whole) * percent / 100))
}
