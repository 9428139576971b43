// Package bench measures how fast and how small the backend is, beside rivals that
// are real programs on the same machine in the same run. It starts the built
// programs and judges them from outside; what one function costs is measured by the
// benchmarks beside it, which are run from here.
//
// Rivals take turns, round after round, until the median of their ratios is steady.
// A ratio is a result; an absolute figure is a note about the machine. Each test
// fills one table of the folder results, which says of each target whether it was
// met. A test fails when an answer was wrong, or what it compares could not be had.
//
// run.sh installs what is compared and runs everything.
package bench
