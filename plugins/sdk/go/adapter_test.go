//go:build !wasip1

package engine

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Whatever this version of Go may ask of WASI, the adapter answers: a component with an import left could not be made.
func TestTheAdapterAnswersWhateverGoAsks(t *testing.T) {
	adapter, err := os.ReadFile("adapter.wat")
	if err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	asked, seen := regexp.MustCompile(`(?m)^//go:wasmimport wasi_snapshot_preview1 (\w+)`), 0
	for _, of := range []string{"runtime", "syscall", "internal/syscall", "os", "net"} {
		folder := filepath.Join(strings.TrimSpace(string(root)), "src", of)
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, found := range asked.FindAllStringSubmatch(string(source), -1) {
				seen++
				if !strings.Contains(string(adapter), `(export "`+found[1]+`")`) {
					t.Errorf("%s is asked for in %s", found[1], path)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if seen < 10 {
		t.Error(seen)
	}
}

// Every action of the interface is imported and every export is there, by the name that the canonical ABI gives it.
func TestTheInterfaceIsWhole(t *testing.T) {
	wit, err := os.ReadFile("../../../wit/workload.wit")
	if err != nil {
		t.Fatal(err)
	}
	var sources string
	for _, name := range []string{"abi_wasm.go", "exports_wasm.go"} {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources += string(source)
	}
	_, actions, _ := strings.Cut(string(wit), "interface actions {")
	actions, workload, _ := strings.Cut(actions, "interface workload {")
	function := regexp.MustCompile(`(?m)^ +([a-z-]+): (?:static )?func\(`)
	found := 0
	for _, name := range function.FindAllStringSubmatch(actions, -1) {
		found++
		if !strings.Contains(sources, "//go:wasmimport engine:workload/actions@0.1.0 "+name[1]+"\n") {
			t.Error("not imported:", name[1])
		}
	}
	for _, name := range function.FindAllStringSubmatch(workload, -1) {
		found++
		if !regexp.MustCompile(`//go:wasmexport engine:workload/workload@0\.1\.0#(\[\w+\]\w+\.)?` + name[1] + "\n").MatchString(sources) {
			t.Error("not exported:", name[1])
		}
	}
	if found != 15+12 {
		t.Error("functions in the interface:", found)
	}
}
