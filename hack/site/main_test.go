package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLinks: a link that leads nowhere, to a part that is not there, out of the site, or that loads from the net is
// told.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	for name, page := range map[string]string{
		"a.html": `<article><h1 id="a">A</h1><a href="b.html#part">good</a><a href="https://example.com">the net</a><a href="b.html#none">no part</a>` +
			`<a href="c.html">no page</a><a href="../../secret">outside</a><a href="javascript:alert(1)">script</a><img src="//example.com/x.png"></article>`,
		"b.html": `<article><h1>B</h1>first<h2 id="part">Part <a href="#part">#</a></h2><p>one</p><p>two</p></article>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sections, wrong, err := look(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a.html: loads //example.com/x.png", "a.html: b.html#none", "a.html: c.html", "a.html: ../../secret",
		"a.html: javascript:alert(1)", "a.html: //example.com/x.png"}
	if !slices.Equal(wrong, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(wrong, "\n"), strings.Join(want, "\n"))
	}
	last := sections[len(sections)-1]
	if last != (section{Page: "B", Heading: "Part", URL: "b.html#part", Text: "one two"}) {
		t.Errorf("%+v", last)
	}
}

// Keywords belong to the first section of their page.
func TestKeywords(t *testing.T) {
	sections := []section{{URL: "docs/a.html"}, {URL: "docs/a.html#part"}, {URL: "docs/b.html"}}
	addKeywords(sections, "# words\na: air gap\n")
	if sections[0].Keywords != "air gap" || sections[1].Keywords+sections[2].Keywords != "" {
		t.Errorf("%+v", sections)
	}
}

func TestVersionsAreOrdered(t *testing.T) {
	names := []string{"1.2.0", "1.10.0", "dev", "v0.9.1", "1.10.0-rc1"}
	slices.SortFunc(names, newest)
	if got := strings.Join(names, " "); got != "dev 1.10.0 1.10.0-rc1 1.2.0 v0.9.1" {
		t.Error(got)
	}
}

func TestMenu(t *testing.T) {
	groups := menu([]page{
		{file: "docs/README.md", title: "Documentation",
			body: []byte("## Begin\n\n| [a.md](a.md), [b.md](b.md) | both |\n| `x` | [c](c.md) |\n")},
		{file: "docs/a.md", title: "A"}, {file: "docs/b.md", title: "B"}, {file: "docs/c.md", title: "C"},
		{file: "docs/checks/d.md", title: "D"},
	})
	if len(groups) != 2 || len(groups[0].Links) != 2 || groups[0].Links[1] != (link{"B", "docs/b.html", "both"}) ||
		groups[1].Links[0].URL != "docs/checks/d.html" {
		t.Errorf("%+v", groups)
	}
}

// TestCommands: the page of commands is what hcctl prints, and docs/README.md links to it.
func TestCommands(t *testing.T) {
	hcctl := filepath.Join(t.TempDir(), "hcctl")
	if err := os.WriteFile(hcctl, []byte("#!/bin/sh\n[ \"$*\" = 'docs commands' ] && printf '# Commands\\n'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	pages, err := (&site{hcctl: hcctl}).addCommands([]page{{file: "docs/README.md", body: []byte("| `hcctl docs commands` | all |\n")}})
	if err != nil {
		t.Fatal(err)
	}
	if groups := menu(pages); len(pages) != 2 || pages[1].title != "Commands" || string(pages[1].body) != "# Commands\n" ||
		groups[0].Links[0] != (link{"Commands", "docs/commands.html", "all"}) {
		t.Errorf("%+v, %+v", pages, groups)
	}
	if _, err := (&site{hcctl: hcctl}).addCommands([]page{{file: "docs/README.md"}}); err == nil {
		t.Error("a list of pages without the row is taken")
	}
}

// TestOwnFiles: docs/dev/licences.md says that the site ships no script, style or font of others. A new file here needs its
// licence there.
func TestOwnFiles(t *testing.T) {
	files, err := os.ReadDir("static")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if got := strings.Join(names, " "); got != "icon.svg site.css site.js" {
		t.Errorf("the site ships %s: say in docs/dev/licences.md whose they are", got)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("static", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, loads := range []string{"@font-face", "@import", "url(", "import(", "fetch(", "XMLHttpRequest"} {
			if strings.Contains(string(text), loads) {
				t.Errorf("%s has %s: what it loads may be of others", name, loads)
			}
		}
	}
}
