//go:build clients

// Package tools names what the generated clients of proto-free-contracts/generators.sh import.
package tools

import (
	_ "github.com/go-faster/errors"
	_ "github.com/go-faster/jx"
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/ogen-go/ogen/http"
	_ "go.opentelemetry.io/otel"
	_ "go.uber.org/multierr"
)
