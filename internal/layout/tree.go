package layout

import (
	"bytes"
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Roots are the folders that hold Go packages.
var Roots = []string{"cmd", "contracts", "e2e", "hack", "internal", "pkg", "sandbox"}

// Package is one folder with Go files.
type Package struct {
	// Folder is relative to the root of the repository, with slashes.
	Folder string
	// Files are the names of the Go files that are neither tests nor generated.
	Files []string
	// Tests are the names of the test files.
	Tests []string
	// Lines counts the lines of Files.
	Lines int
	// Doc is the package's doc comment, or "".
	Doc string
	// Name is the name in the package clause, without "_test".
	Name string
}

// Packages returns the packages below Roots, sorted by folder. It skips testdata folders.
func Packages(tree fs.FS) ([]Package, error) {
	found := map[string]*Package{}
	for _, root := range Roots {
		err := fs.WalkDir(tree, root, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "testdata":
				return fs.SkipDir
			case entry.IsDir() || path.Ext(name) != ".go":
				return nil
			}
			folder := path.Dir(name)
			if found[folder] == nil {
				found[folder] = &Package{Folder: folder}
			}
			return found[folder].add(tree, name)
		})
		if err != nil {
			return nil, err
		}
	}
	out := make([]Package, 0, len(found))
	for _, p := range found {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b Package) int { return cmp.Compare(a.Folder, b.Folder) })
	return out, nil
}

func (p *Package) add(tree fs.FS, name string) error {
	content, err := fs.ReadFile(tree, name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return fmt.Errorf("read the package clause: %w", err)
	}
	p.Name = strings.TrimSuffix(file.Name.Name, "_test")
	base := path.Base(name)
	if strings.HasSuffix(base, "_test.go") {
		p.Tests = append(p.Tests, base)
		return nil
	}
	if doc := file.Doc.Text(); doc != "" {
		p.Doc = doc
	}
	if strings.HasPrefix(base, "zz_") {
		return nil
	}
	p.Files = append(p.Files, base)
	p.Lines += bytes.Count(content, []byte("\n"))
	return nil
}

// Documented reports whether the doc comment begins as Go expects: "Package NAME", or "Command" for a program.
func (p Package) Documented() bool {
	return strings.HasPrefix(p.Doc, "Package "+p.Name+" ") || p.Name == "main" && strings.HasPrefix(p.Doc, "Command ")
}
