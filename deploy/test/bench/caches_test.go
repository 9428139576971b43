package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"backend.example/deploy/test/harness"
)

// startNginx runs nginx on one processor with the given http block, in which %s is
// its address, and returns its base address.
func startNginx(t *testing.T, cpu int, http string) string {
	t.Helper()
	addr, folder := harness.FreeAddr(t), t.TempDir()
	config := fmt.Sprintf(`
daemon off;
%s
worker_processes 1;
pid nginx.pid;
error_log stderr;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  client_body_temp_path body;
  proxy_temp_path temp;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  %s
}`, asUser(), fmt.Sprintf(http, addr))
	path := filepath.Join(folder, "nginx.conf")
	harness.WriteFile(t, path, config)
	start(t, cpu, folder, nil, "nginx", "-c", path, "-p", folder, "-e", "stderr")
	harness.AwaitListener(t, addr)
	return "http://" + addr
}

// asUser lets the worker read the folder of the test, which is root's when the
// test is.
func asUser() string {
	if os.Getuid() == 0 {
		return "user root;"
	}
	return ""
}

// nginxCache keeps what the server at base answers, as that allows.
func nginxCache(t *testing.T, base string) string {
	t.Helper()
	return startNginx(t, serverCPU, `
  proxy_cache_path cache keys_zone=answers:1m max_size=64m inactive=1h;
  open_file_cache max=100 inactive=1h;
  open_file_cache_valid 1h;
  server {
    listen %s;
    location / {
      proxy_pass `+base+`;
      proxy_cache answers;
    }
  }`)
}

// nginxProxy passes everything to the server at base, over kept connections.
func nginxProxy(t *testing.T, base string) string {
	t.Helper()
	return startNginx(t, serverCPU, `
  upstream service {
    server `+base[len("http://"):]+`;
    keepalive 64;
    keepalive_requests 100000000;
  }
  server {
    listen %s;
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffers 16 8k;
    }
  }`)
}

// varnish keeps what the server at base answers, in memory, and as the client asks
// for it: with its own gzip it would unpack each hit.
func varnish(t *testing.T, base string) string {
	t.Helper()
	addr, folder := harness.FreeAddr(t), t.TempDir()
	start(t, serverCPU, folder, nil, "varnishd", "-F", "-j", "none", "-n", folder, "-a", addr,
		"-b", base[len("http://"):], "-s", "malloc,64m", "-p", "http_gzip_support=off",
		"-p", "thread_pool_min=20", "-p", "thread_pool_max=100", "-p", "thread_pools=1")
	harness.AwaitListener(t, addr)
	return "http://" + addr
}
