// Package netns gives a test hosts that only a network joins: each is a network
// namespace with a TUN device, and this process carries the packets. So any direction
// between any two hosts can be cut, delayed or made to lose packets, without netem and
// without netfilter, and a host that is cut off gets no answer instead of a refusal.
//
// It needs root and Linux. Main runs the tests of a package in namespaces of their own,
// which end with them.
package netns
