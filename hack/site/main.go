// Command site makes the documentation's web site: a directory that works from a disk, without a server or the net.
//
//	site -root REPOSITORY -hugo PROGRAM -hcctl PROGRAM -out DIRECTORY -version VERSION
//
// It lays the pages out for Hugo as they are in the repository, so that the links between them stay as they are, adds
// the page of commands that hcctl prints, lets Hugo make the pages, and then writes the index of the search and checks
// every link. Each version is a directory of its own in -out; versions.js there lists them for the menu.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	var s site
	flag.StringVar(&s.root, "root", "../..", "the repository")
	flag.StringVar(&s.hugo, "hugo", "hugo", "Hugo")
	flag.StringVar(&s.hcctl, "hcctl", "../../bin/hcctl", "hcctl, which prints the page of its commands")
	flag.StringVar(&s.out, "out", "../../bin/site", "where to write")
	flag.StringVar(&s.version, "version", "latest", "the version that the pages are about")
	flag.Parse()
	if err := s.make(); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

type site struct{ root, hugo, hcctl, out, version string }

// page is one page of the site.
type page struct {
	// file is its path in the repository, such as docs/install.md.
	file, title string
	body        []byte
	// listing means that it only lists a directory: the search leaves it out.
	listing bool
}

// url returns its path in the site.
func (p page) url() string {
	if p.file == "README.md" {
		return "index.html"
	}
	return strings.TrimSuffix(p.file, ".md") + ".html"
}

// notShown matches directories whose pages are only for hcctl's developers, or that have no pages.
var notShown = regexp.MustCompile(`^(\.|bin/|hack/|sandbox/|pkg/|internal/|cmd/|contracts/[^R])|/testdata/`)

func (s *site) make() error {
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`).MatchString(s.version) {
		return fmt.Errorf("-version %q: letters, digits, dots, plus and minus only", s.version)
	}
	work, err := os.MkdirTemp("", "site-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	pages, err := s.lay(work)
	if err != nil {
		return err
	}
	made := filepath.Join(s.out, s.version)
	if err := os.RemoveAll(made); err != nil {
		return err
	}
	if made, err = filepath.Abs(made); err != nil {
		return err
	}
	hugo := exec.Command(s.hugo, "--source", work, "--destination", made, "--logLevel", "warn")
	if told, err := hugo.CombinedOutput(); err != nil {
		return fmt.Errorf("hugo: %w\n%s", err, told)
	}
	sections, wrong, err := look(made)
	if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d links lead nowhere:\n%s", len(wrong), strings.Join(wrong, "\n"))
	}
	for _, p := range pages {
		if p.listing {
			sections = slices.DeleteFunc(sections, func(s section) bool { return s.URL == p.url() })
		}
	}
	keywords, err := os.ReadFile(filepath.Join(s.root, "docs", "keywords.txt"))
	if err != nil {
		return err
	}
	addKeywords(sections, string(keywords))
	if err := script(filepath.Join(made, "search-index.js"), "hcctlSearch", sections); err != nil {
		return err
	}
	urls := make([]string, len(pages))
	for i, p := range pages {
		urls[i] = p.url()
	}
	if err := script(filepath.Join(made, "pages.js"), "hcctlPages", urls); err != nil {
		return err
	}
	fmt.Printf("%d pages, %d sections: %s\n", len(pages), len(sections), filepath.Join(made, "index.html"))
	return s.versions()
}

// lay copies the pages, the layouts and the linked files into a directory for Hugo.
func (s *site) lay(work string) ([]page, error) {
	own, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"hugo.yaml", "layouts", "static"} {
		if err := copyAll(filepath.Join(own, name), filepath.Join(work, name)); err != nil {
			return nil, err
		}
	}
	var pages []page
	err = filepath.WalkDir(s.root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(s.root, file)
		name = filepath.ToSlash(name)
		switch {
		case err != nil || name == ".":
			return err
		case notShown.MatchString(name + "/"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case path.Ext(name) == ".md" && (!strings.HasPrefix(name, "contracts/") || name == "contracts/README.md"):
			body, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			pages = append(pages, page{file: name, title: titleOf(name, body), body: body})
			return nil
		case strings.HasPrefix(name, "docs/") && path.Ext(name) != ".go", strings.HasPrefix(name, "examples/"),
			name == "LICENSE":
			return copyAll(file, filepath.Join(work, "static", name))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := s.copyLinked(work, pages); err != nil {
		return nil, err
	}
	if pages, err = s.addCommands(pages); err != nil {
		return nil, err
	}
	pages = append(pages, listings(work, pages)...)
	if err := write(filepath.Join(work, "data", "menu.json"), menu(pages)); err != nil {
		return nil, err
	}
	titles := map[string]string{}
	for _, p := range pages {
		titles["/"+p.url()] = p.title
	}
	if err := write(filepath.Join(work, "data", "titles.json"), titles); err != nil {
		return nil, err
	}
	if err := write(filepath.Join(work, "data", "site.json"), map[string]string{"version": s.version}); err != nil {
		return nil, err
	}
	for _, p := range pages {
		head, err := json.Marshal(map[string]any{"title": p.title, "url": "/" + p.url(),
			"params": map[string]any{"up": up(p)}})
		if err != nil {
			return nil, err
		}
		// For Hugo, README.md is a page like any other, and _index.md is the first.
		file := filepath.Join(work, "content", p.file)
		if p.file == "README.md" {
			file = filepath.Join(work, "content", "_index.md")
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, slices.Concat(head, []byte("\n\n"), p.body), 0o600); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// copyLinked copies the files outside of docs and examples to which a page links, such as the exporter's rules.
func (s *site) copyLinked(work string, pages []page) error {
	for _, p := range pages {
		for _, to := range linked.FindAllSubmatch(p.body, -1) {
			name := path.Join(path.Dir(p.file), string(to[1]))
			file := filepath.Join(s.root, filepath.FromSlash(name))
			if !filepath.IsLocal(name) || path.Ext(name) == ".md" {
				continue
			}
			if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
				continue // the links are checked when the site is made
			}
			if err := copyAll(file, filepath.Join(work, "static", name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// addCommands adds docs/commands.md, which is not in the repository: docs/README.md names the command that prints it.
func (s *site) addCommands(pages []page) ([]page, error) {
	const file, printedBy = "docs/commands.md", "hcctl docs commands"
	text, err := exec.Command(s.hcctl, "docs", "commands").Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printedBy, err)
	}
	i := slices.IndexFunc(pages, func(p page) bool { return p.file == "docs/README.md" })
	if i < 0 || !bytes.Contains(pages[i].body, []byte("| `"+printedBy+"` |")) {
		return nil, fmt.Errorf("docs/README.md has no row that begins with %q", printedBy)
	}
	pages[i].body = bytes.Replace(pages[i].body, []byte("| `"+printedBy+"` |"), []byte("| [commands.md](commands.md) |"),
		1)
	return append(pages, page{file: file, title: titleOf(file, text), body: text}), nil
}

// listings returns pages that list the directories of docs and examples, because pages link to directories too.
func listings(work string, pages []page) []page {
	in := map[string][]string{}
	for _, p := range pages {
		in[path.Dir(p.file)] = append(in[path.Dir(p.file)], path.Base(p.file))
	}
	static := filepath.Join(work, "static")
	_ = filepath.WalkDir(static, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(static, file)
			directory := path.Dir(filepath.ToSlash(name))
			in[directory] = append(in[directory], path.Base(name))
		}
		return err
	})
	var made []page
	for directory, files := range in {
		if directory == "." || slices.Contains(files, "README.md") {
			continue
		}
		slices.Sort(files)
		body := "# " + directory + "\n\n"
		for _, f := range files {
			body += "- [" + f + "](" + f + ")\n"
		}
		made = append(made, page{directory + "/README.md", directory, []byte(body), true})
	}
	slices.SortFunc(made, func(a, b page) int { return strings.Compare(a.file, b.file) })
	return made
}

var heading = regexp.MustCompile(`(?m)^# (.+)$`)

// row matches a row of a table in docs/README.md about pages: links in the first cell, and their subject.
var row = regexp.MustCompile(`^\| (\[.*\)) \| (.*) \|$`)

var linked = regexp.MustCompile(`\]\(([^)#]+)\)`)

// versions writes the list of versions, and the page that redirects to the newest.
func (s *site) versions() error {
	directories, err := os.ReadDir(s.out)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range directories {
		if f.IsDir() {
			names = append(names, f.Name())
		}
	}
	slices.SortFunc(names, newest)
	if err := script(filepath.Join(s.out, "versions.js"), "hcctlVersions", names); err != nil {
		return err
	}
	first := fmt.Sprintf("<!doctype html><meta charset=utf-8><title>hcctl</title>"+
		"<meta http-equiv=refresh content=\"0; url=%[1]s/index.html\"><a href=\"%[1]s/index.html\">hcctl %[1]s</a>\n",
		names[0])
	return os.WriteFile(filepath.Join(s.out, "index.html"), []byte(first), 0o600)
}

var digits = regexp.MustCompile(`\d+`)

// newest orders versions, the newest first. A version without a number, such as latest, is before all others.
func newest(a, b string) int {
	x, y := digits.FindAllString(a, -1), digits.FindAllString(b, -1)
	if (a[0] >= '0' && a[0] <= '9' || a[0] == 'v') != (b[0] >= '0' && b[0] <= '9' || b[0] == 'v') {
		return map[bool]int{true: 1, false: -1}[a[0] >= '0' && a[0] <= '9' || a[0] == 'v']
	}
	for i := range min(len(x), len(y)) {
		if len(x[i]) != len(y[i]) {
			return len(y[i]) - len(x[i])
		}
		if c := strings.Compare(y[i], x[i]); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

// script writes a value as a script: pages from a disk may load scripts, but not JSON.
func script(file, name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(file, slices.Concat([]byte("window."+name+"="), data, []byte(";\n")), 0o600)
}

func write(file string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, data, 0o600))
}

func copyAll(from, to string) error {
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		into := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(into), 0o750); err != nil {
			return err
		}
		return os.WriteFile(into, bytes.Clone(data), 0o600)
	})
}
