package main

import (
	"testing"

	"backend.example/services/internal/kit/settings/settingstest"
)

func TestEnvExample(t *testing.T) {
	settingstest.EnvExample[config](t, "../../deploy/env/directory.env.example")
}
