package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// wordsByRef is what the package bash-completion has.
const wordsByRef = `_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }`

// completers are scripts that print what a shell offers after the words of $LINE, one
// on each line.
var completers = map[string]string{
	"bash": wordsByRef + `
source <(directory completion bash)
read -ra COMP_WORDS <<<"$LINE"; [[ $LINE == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_TYPE=9
__start_directory
for word in "${COMPREPLY[@]}"; do echo "${word%% *}"; done`,
	"fish": `directory completion fish | source; complete --do-complete "$LINE" | string replace -r '\t.*' ''; true`,
	"zsh": `compdef() { :; }; _describe() { for word in "${(@P)2}" "${(@P)4}"; do word=${word%%:*}; [[ $word != ${words[-1]}* ]] || echo $word; done; }
source <(directory completion zsh)
words=("${(@s: :)LINE}"); CURRENT=${#words}
_directory`,
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	settings, _ := newDirectory(t)
	require(t, settings, "seed")
	bin := t.TempDir()
	ok(t, os.Symlink(os.Args[0], filepath.Join(bin, "directory")))
	for shell, script := range completers {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("not installed")
			}
			for line, want := range map[string][]string{
				"directory compa":                      {"company"},
				"directory company ex":                 {"export"},
				"directory company export d":           {"dawna-ksiegarnia"},
				"directory company export --js":        nil,
				"directory audit piekarnia-kowalski ":  nil,
				"directory audit --re":                 {"--refresh"},
				"directory user set-role admin@":       {"admin@demo.example"},
				"directory user add a@b.pl --role OFF": {"OFFICE_MANAGER"},
				"directory trail --company w":          {"warsztat-nowak"},
				"directory completion ":                {"bash", "fish", "zsh"},
			} {
				cmd := newProcess(t.Context(), t, settings, "-c", script)
				cmd.Path = path
				// The race detector would have every program wait a second before it ends.
				cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0", "LINE="+line, "HOME="+t.TempDir(), "PATH="+bin+":"+os.Getenv("PATH"))
				out, err := cmd.Output()
				got := strings.Fields(string(out))
				slices.Sort(got)
				if err != nil || !slices.Equal(slices.Compact(got), want) {
					t.Errorf("%q is completed with %q, want %q; %v", line, got, want, err)
				}
			}
		})
	}
}

// TestCompletionWithoutADatabase offers nothing, says nothing and makes nothing.
func TestCompletionWithoutADatabase(t *testing.T) {
	t.Parallel()
	settings := environ(t)
	cmd := newProcess(t.Context(), t, settings, "__complete", "company", "export", "")
	out, err := cmd.Output()
	if err != nil || string(out) != ":4\n" {
		t.Errorf("%v, printed %q", err, out)
	}
	requireNoFiles(t, settings)
}
