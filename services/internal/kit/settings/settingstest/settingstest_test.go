package settingstest

import (
	"os"
	"path/filepath"
	"testing"
)

type config struct {
	Addr  string `env:"ADDR" envDefault:":1"`
	Level string `env:"LEVEL"`
}

// recorder records whether a check failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestEnvExample(t *testing.T) {
	const right = "# Where it listens.\n#ADDR=:1\n\n# What is logged.\n#LEVEL=\n"
	for name, test := range map[string]struct {
		text  string
		wrong bool
	}{
		"right":           {text: right},
		"one is missing":  {text: "# Where it listens.\n#ADDR=:1\n", wrong: true},
		"other default":   {text: "# Where it listens.\n#ADDR=:2\n\n# What is logged.\n#LEVEL=\n", wrong: true},
		"other order":     {text: "# What is logged.\n#LEVEL=\n\n# Where it listens.\n#ADDR=:1\n", wrong: true},
		"not explained":   {text: "#ADDR=:1\n\n# What is logged.\n#LEVEL=\n", wrong: true},
		"set, not quoted": {text: right + "LEVEL=debug\n", wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "env")
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			r := &recorder{TB: t}
			EnvExample[config](r, path)
			if r.failed != test.wrong {
				t.Errorf("found something: %v, want %v", r.failed, test.wrong)
			}
		})
	}
}
