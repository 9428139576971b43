// Package bench measures the speed and size of the backend in comparison with rivals, which
// are real programs on the same machine in the same run. It starts the built programs.
//
// Rivals take turns until the median of their ratios is steady. A ratio is a result, an
// absolute figure only a note about the machine. Each test writes one table of the folder
// results with the targets that were met or missed. A test fails if a response was wrong or a
// rival is not available.
//
// run.sh installs the rivals and runs everything.
package bench
