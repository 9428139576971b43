// Package contracts contains the OpenAPI document of each service, and its reference as HTML. Package contracttest
// checks the services against the documents.
package contracts

import _ "embed"

//go:embed directory.openapi.yaml
var directory string

//go:embed hardware.openapi.yaml
var hardware string

//go:embed typescript/reference/directory.html
var directoryReference string

//go:embed typescript/reference/hardware.html
var hardwareReference string

// Directory returns the OpenAPI 3.1 document of the directory service, as YAML.
func Directory() []byte { return []byte(directory) }

// Hardware returns the OpenAPI 3.1 document of the hardware service, as YAML.
func Hardware() []byte { return []byte(hardware) }

// DirectoryReference returns the reference of the directory service, as HTML that make client generates.
func DirectoryReference() string { return directoryReference }

// HardwareReference returns the reference of the hardware service.
func HardwareReference() string { return hardwareReference }
