package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
)

const knownPart = "RTX 4070 Super"

func TestQuoteCommand(t *testing.T) {
	source := newFakeSource(t)
	out, err := command(t, source.environ(t), "quote", knownPart, "gpu: "+knownPart, "komputery xqz9: abc", "xqz9 abc")
	if err == nil || cli.Status(err) != cli.StatusFailed || !strings.Contains(err.Error(), "1 of 4 parts could not be looked up") {
		t.Errorf("error %v", err)
	}
	want := strings.Join([]string{
		"PART                 PRICE (PLN)  SHOP             PRODUCT",
		"RTX 4070 Super           2649.00  Podzespoły Łódź  Karta graficzna MSI GeForce RTX 4070 SUPER 12GB",
		"RTX 4070 Super           2649.00  Podzespoły Łódź  Karta graficzna MSI GeForce RTX 4070 SUPER 12GB",
		"komputery xqz9: abc            -  -                the source cannot be reached, or answers with an error",
		"xqz9 abc                       -  -                nothing matched",
		"",
		"FROM                 PARTS   SUM (PLN)",
		"(the cheapest of 1)  2 of 4    5298.00",
		"Podzespoły Łódź      2 of 4    5298.00",
		"Świat Grafik         2 of 4    5399.98",
		"",
	}, "\n")
	if out != want {
		t.Errorf("printed:\n%s\nwant:\n%s", out, want)
	}
	if n := source.count("/161482093;0280-0.htm"); n != 1 {
		t.Errorf("the product was opened %d times", n)
	}
}

func TestQuoteCommandReadsParts(t *testing.T) {
	source := newFakeSource(t)
	const list = "\ufeff# build\r\n\r\n \t\n  # card\n  GPU : rtx 4070 super\r\nxqz9 abc"
	file := filepath.Join(t.TempDir(), "build.txt")
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, stdin := range map[string]string{"-": list, file: ""} {
		out, err := commandReading(t, stdin, source.environ(t), "quote", "--json", "-f", name, knownPart)
		if cli.Status(err) != cli.StatusNotFound || !strings.Contains(err.Error(), "1 of 3 parts have no offer") {
			t.Errorf("%s: error %v", name, err)
		}
		var answer struct {
			Items []struct{ Query, Category, Status string }
			Split struct {
				Stores, Count int
				Sum           float64
			}
			Shops []struct {
				Store string
				Sum   float64
			}
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil || len(answer.Items) != 3 || len(answer.Shops) != 2 {
			t.Fatalf("%s: %v, printed %s", name, err, out)
		}
		if second := answer.Items[1]; second.Query != "rtx 4070 super" || second.Category != "gpu" || second.Status != "ready" {
			t.Errorf("%s: item %+v", name, second)
		}
		if answer.Split.Stores != 1 || answer.Split.Count != 2 || answer.Split.Sum != 5298 || answer.Shops[1].Store != "swiat-grafik.example" || answer.Shops[1].Sum != 5399.98 {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}

func TestQuoteCommandFindsEveryPart(t *testing.T) {
	source := newFakeSource(t)
	out, err := command(t, source.environ(t), "quote", "gpu:"+knownPart)
	want := strings.Join([]string{
		"PART            PRICE (PLN)  SHOP             PRODUCT",
		"RTX 4070 Super      2649.00  Podzespoły Łódź  Karta graficzna MSI GeForce RTX 4070 SUPER 12GB",
		"",
		"FROM                 PARTS   SUM (PLN)",
		"(the cheapest of 1)  1 of 1    2649.00",
		"Podzespoły Łódź      1 of 1    2649.00",
		"Świat Grafik         1 of 1    2699.99",
		"",
	}, "\n")
	if err != nil || out != want {
		t.Errorf("error %v, printed:\n%s\nwant:\n%s", err, out, want)
	}
}

// A category alone is the name of a product.
func TestQuoteCommandTakesACategoryForAName(t *testing.T) {
	_, err := command(t, newFakeSource(t).environ(t), "quote", "gpu")
	if cli.Status(err) == cli.StatusUsage || !strings.Contains(err.Error(), "1 of 1 parts") {
		t.Errorf("error %v", err)
	}
}

func TestCommandsCompleteTheirWords(t *testing.T) {
	const noFiles = ":4\n"
	categories := strings.Join(catalog.Categories(), "\n") + "\n"
	for line, want := range map[string]string{
		"quote ":             strings.Join(catalog.Categories(), ":\n") + ":\n:6\n",
		"benchmark ":         strings.Join(catalog.Families(), "\n") + "\n" + noFiles,
		"benchmark gpu ":     noFiles,
		"price ":             noFiles,
		"price --category ":  categories + noFiles,
		"forget ":            noFiles,
		"forget --category ": categories + noFiles,
	} {
		var out, notes strings.Builder
		err := newProgram(nil, strings.NewReader(""), &out, &notes).Run(t.Context(), append([]string{"__complete"}, strings.Split(line, " ")...))
		if err != nil || out.String() != want || !strings.HasPrefix(notes.String(), "Completion ended with ") {
			t.Errorf("%s: error %v, printed %q, want %q, and noted %q", line, err, &out, want, &notes)
		}
	}
}

func TestQuoteCommandWithoutTheFile(t *testing.T) {
	if _, err := command(t, nil, "quote", "--file", t.TempDir(), knownPart); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a folder: error %v", err)
	}
	_, err := command(t, nil, "quote", "--file", filepath.Join(t.TempDir(), "none"))
	if cli.Status(err) != cli.StatusFailed || !strings.Contains(err.Error(), "--file: ") || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("error %v", err)
	}
}

// TestAFullDiskIsNoSuccess: what could not be printed is an error, even if all was found.
func TestAFullDiskIsNoSuccess(t *testing.T) {
	environ := newFakeSource(t).environ(t)
	for _, args := range [][]string{
		{"quote", knownPart}, {"quote", knownPart, "--json"}, {"price", knownPart}, {"price", knownPart, "--json"}, {"benchmark", "gpu"}, {"benchmark", "gpu", "--json"},
	} {
		for room := 0; ; room++ {
			full := clitest.FullDisk(room)
			err := newProgram(environ, nil, &full, io.Discard).Run(t.Context(), args)
			if full >= 0 && err == nil {
				break
			}
			if cli.Status(err) != cli.StatusFailed || !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("%q, room for %d writes: error %v", args, room, err)
			}
		}
	}
}

func TestQuoteCommandInterrupted(t *testing.T) {
	source, released := newFakeSource(t), make(chan struct{})
	t.Cleanup(func() { close(released) })
	ctx, interrupt := context.WithCancel(t.Context())
	source.search = func() { interrupt(); <-released }
	var out strings.Builder
	err := newProgram(source.environ(t), nil, &out, io.Discard).Run(ctx, []string{"quote", knownPart})
	if !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("error %v, printed %s", err, &out)
	}
}

func TestQuoteCommandFails(t *testing.T) {
	source := newFakeSource(t)
	environ := source.environ(t)
	source.Close()
	out, err := command(t, environ, "quote", knownPart, "xqz9 abc")
	if cli.Status(err) != cli.StatusFailed || !strings.Contains(err.Error(), "2 of 2 parts") || strings.Count(out, "the source cannot be reached") != 2 {
		t.Errorf("error %v, printed %s", err, out)
	}
}
