//go:build !wasip1

package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	docs         = "../../../docs/plugins-go.md"
	templateMain = "../../../engine/src/cli/plugin/new/go/main.go.txt"
)

// The first code of the page is the template's, in parts. All other code is compiled beside the template, and its test is
// run.
func TestTheCodeOfThePageHolds(t *testing.T) {
	page, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile(templateMain)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(page), "```go\n")[1:]
	pieces := "package main\n\nimport (\n\t\"encoding/json\"\n\t\"slices\"\n\t\"testing\"\n\t\"time\"\n\n\t\"engine\"\n)\n\n"
	for at, part := range parts {
		parts[at], _, _ = strings.Cut(part, "```")
		if at > 0 {
			pieces += parts[at] + "\n"
		}
	}
	for _, piece := range strings.Split(parts[0], "\n\n") {
		if !strings.Contains(string(template), piece) {
			t.Errorf("not in the template:\n%s", piece)
		}
	}
	sdk, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module page\n\ngo 1.24\n\nrequire engine v0.0.0\n\nreplace engine => " + sdk + "\n",
		"plugin.toml":    testManifest,
		"main.go":        string(template),
		"pieces_test.go": pieces,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "test", "-v", ".")
	command.Dir = folder
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if ran := strings.Count(string(output), "--- PASS"); ran != 1 {
		t.Errorf("%d tests of the page ran\n%s", ran, output)
	}
}
