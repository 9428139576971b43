package main

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
)

func TestRunExitCodes(t *testing.T) {
	s := start(t)
	running := strings.TrimPrefix(s.URL("control"), "http://")
	benchmark := strings.TrimPrefix(s.URL("benchmark"), "http://")
	cases := map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"help":            {[]string{"--help"}, 0, "usage: sandbox", ""},
		"help of serve":   {[]string{"serve", "-h"}, 0, "usage: sandbox", ""},
		"version":         {[]string{"--version"}, 0, "sandbox version dev (commit unknown, built unknown)\n", ""},
		"unknown flag":    {[]string{"-x"}, 2, "", "not defined: -x"},
		"unknown command": {[]string{"dance"}, 2, "", `unknown argument "dance"`},
		"not loopback":    {[]string{"serve", "-control-addr", ":0"}, 2, "", "not a loopback address"},
		"taken port":      {[]string{"-control-addr", running}, 1, "", "listening for control"},
		"healthy":         {[]string{"healthcheck", "-control-addr", running}, 0, "", ""},
		"not the control": {[]string{"healthcheck", "-control-addr", benchmark}, 1, "", "404"},
		"nobody there":    {[]string{"healthcheck", "-control-addr", freeAddr(t)}, 1, "", "refused"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(context.Background(), c.args, environment(nil), &stdout, &stderr)
			if code != c.code || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
				t.Errorf("exit %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
			}
		})
	}
}

func TestHealthcheckOfAnAddressForEveryInterface(t *testing.T) {
	s := start(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.URL("control"), "http://"))
	for _, host := range []string{"", "0.0.0.0", "[::]"} {
		if err := checkHealth(context.Background(), host+":"+port); err != nil {
			t.Errorf("%s:%s: %v", host, port, err)
		}
	}
}

func TestServeLogsItsAddressesAndExitsCleanly(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	var stderr bytes.Buffer
	var args []string
	for _, site := range []string{"control", "benchmark", "aggregator", "search", "places", "social"} {
		args = append(args, "-"+site+"-addr=127.0.0.1:0")
	}
	if code := run(ctx, args, environment(nil), nil, &stderr); code != 0 {
		t.Errorf("exit %d", code)
	}
	for _, site := range []string{"control", "benchmark", "aggregator", "search", "places", "social"} {
		if !strings.Contains(stderr.String(), "msg=listening site="+site+" url=http://127.0.0.1:") {
			t.Errorf("the log lacks %s: %s", site, &stderr)
		}
	}
}

// freeAddr is an address at which nobody listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
