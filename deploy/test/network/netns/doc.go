// Package netns simulates hosts in a network. Each host is a network namespace with a TUN
// device, and this process forwards the packets. So any direction between two hosts can be
// cut, delayed or made lossy without netem and netfilter, and packets to an isolated host
// are dropped instead of refused.
//
// It needs root and Linux. Main runs the tests of a package in new namespaces, which end
// with them.
package netns
