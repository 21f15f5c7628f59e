// Command rooms draws who imports whom among the rooms of pkg, for Mermaid. It fails if an import runs up: the rooms
// and their order are those of .golangci.yml. Call it in the root of the repository.
package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

func main() {
	drawing, err := draw(os.DirFS("."))
	fmt.Print(drawing)
	if err != nil {
		fmt.Fprintln(os.Stderr, "rooms:", err)
		os.Exit(1)
	}
}

var (
	ruleOfRoom = regexp.MustCompile(`(?m)^ +files: \["\$\{config-path\}/pkg/(\w+)/\*\*"\]$`)
	ownImport  = regexp.MustCompile(`^"github\.com/hcctl/hcctl/pkg/(\w+)`)
)

// draw returns the drawing. The error names every import that runs up and every directory of pkg that is not a room.
// Without such an error there is no cycle, because all imports run down one order.
func draw(tree fs.FS) (string, error) {
	config, err := fs.ReadFile(tree, ".golangci.yml")
	if err != nil {
		return "", err
	}
	var rooms []string
	for _, match := range ruleOfRoom.FindAllStringSubmatch(string(config), -1) {
		rooms = append(rooms, match[1])
	}
	arrows, wrong := map[[2]string]int{}, map[string]bool{}
	err = fs.WalkDir(tree, "pkg", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := strings.Split(name, "/")[1]
		if !slices.Contains(rooms, from) {
			wrong["pkg/"+from+" is no room of .golangci.yml"] = true
		}
		for _, spec := range file.Imports {
			match := ownImport.FindStringSubmatch(spec.Path.Value)
			if match == nil || match[1] == from {
				continue
			}
			arrows[[2]string{from, match[1]}]++
			if slices.Index(rooms, match[1]) > slices.Index(rooms, from) {
				wrong[name+" imports up, "+spec.Path.Value] = true
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "flowchart TD\n  %%%% %d rooms of pkg, %d arrows; a number counts imports\n", len(rooms),
		len(arrows))
	for _, from := range slices.Backward(rooms) {
		fmt.Fprintf(&out, "  %s\n", from)
		for _, to := range slices.Backward(rooms) {
			if n := arrows[[2]string{from, to}]; n > 0 {
				fmt.Fprintf(&out, "  %s -->|%d| %s\n", from, n, to)
			}
		}
	}
	if len(wrong) > 0 {
		return out.String(), fmt.Errorf("%s", strings.Join(slices.Sorted(maps.Keys(wrong)), "\n  "))
	}
	return out.String(), nil
}
