// Package contracts holds the project's APIs as data: one OpenAPI document for
// each service.
//
// The documents are the law for what the services answer. Checking exchanges
// against them is the work of the contracttest package; Go types of requests and
// answers stay with the services.
package contracts

import _ "embed"

//go:embed directory.openapi.yaml
var directory string

//go:embed hardware.openapi.yaml
var hardware string

// Directory returns the OpenAPI 3.1 document of the directory service, as YAML.
func Directory() []byte { return []byte(directory) }

// Hardware returns the OpenAPI 3.1 document of the hardware service, as YAML.
func Hardware() []byte { return []byte(hardware) }
