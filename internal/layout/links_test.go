package layout_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var repository = os.DirFS("../..")

// maxReadme is how many lines README.md may have: the rest is in docs.
const maxReadme = 149

func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(content(t, "README.md"), "\n"); n > maxReadme {
		t.Errorf("README.md has %d lines, at most %d: move something into docs", n, maxReadme)
	}
}

// TestNoFileIsKeptTwice finds files with the same content. What two packages need belongs to one of them, and the other
// reads it.
func TestNoFileIsKeptTwice(t *testing.T) {
	first := map[string]string{}
	err := fs.WalkDir(repository, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{".git", "bin", "dist", "sandbox/crds/generated"}, name) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() < 300 {
			return err
		}
		content, err := fs.ReadFile(repository, name)
		if other, twice := first[string(content)]; twice {
			t.Errorf("%s and %s are the same: keep one of them", other, name)
		}
		first[string(content)] = name
		return err
	})
	if err != nil || len(first) < 1000 {
		t.Fatalf("%d files, %v", len(first), err)
	}
}

// documents are the Markdown files of the repository.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(repository, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == "bin" || file == ".git" || path.Base(file) == "testdata" || path.Base(file) == "generated"):
			return fs.SkipDir
		case path.Ext(file) == ".md":
			all[file] = content(t, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var (
	fenced   = regexp.MustCompile("(?ms)^```.*?^```")
	inCode   = regexp.MustCompile("`[^`\n]*`")
	link     = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	named    = regexp.MustCompile(`<a (?:name|id)="([^"]+)">`)
	linkText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	unslug   = regexp.MustCompile(`[^\p{L}\p{N}\p{M} _-]`)
)

// anchors are what a link into the document may name: the headings, as GitHub writes them.
func anchors(document string) map[string]bool {
	found := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(document, ""), -1) {
		text := strings.ToLower(linkText.ReplaceAllString(m[1], "$1"))
		slug := strings.ReplaceAll(unslug.ReplaceAllString(text, ""), " ", "-")
		base := slug
		for i := 1; found[slug]; i++ {
			slug = base + "-" + string(rune('0'+i))
		}
		found[slug] = true
	}
	for _, m := range named.FindAllStringSubmatch(document, -1) {
		found[m[1]] = true
	}
	return found
}

// brokenLinks are the links of the documents that lead to no file or heading of the repository. Links to other hosts
// are not followed.
func brokenLinks(all map[string]string, exists func(string) bool) (broken []string, links int) {
	for file, text := range all {
		text = inCode.ReplaceAllString(fenced.ReplaceAllString(text, ""), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			links++
			target := file
			if to != "" {
				target = path.Join(path.Dir(file), to)
			}
			page, isPage := all[target]
			switch {
			case strings.HasPrefix(target, "..") || !isPage && !exists(target):
				broken = append(broken, file+": "+m[1]+": there is no "+target)
			case anchor != "" && isPage && !anchors(page)[anchor]:
				broken = append(broken, file+": "+m[1]+": "+target+" has no such heading")
			}
		}
	}
	return broken, links
}

// TestLinks finds links in documents that lead nowhere, and pages that docs/README.md does not list.
func TestLinks(t *testing.T) {
	all := documents(t)
	broken, links := brokenLinks(all, func(file string) bool {
		_, err := fs.Stat(repository, file)
		return err == nil
	})
	for _, b := range broken {
		t.Error(b)
	}
	if links < 300 {
		t.Errorf("only %d links were found", links)
	}
	pages := content(t, "docs/pages.go")
	for file := range all {
		name, below := strings.CutPrefix(file, "docs/")
		if !below || name == "README.md" || strings.HasPrefix(name, "checks/") {
			continue
		}
		if !strings.Contains(all["docs/README.md"], "]("+name+")") {
			t.Errorf("docs/README.md does not list %s", file)
		}
		if !strings.Contains(pages, " "+name) && !strings.Contains(pages, `"`+strings.TrimSuffix(path.Base(name), ".md")+`"`) {
			t.Errorf("docs/pages.go says of %s neither that it is built in nor where else it is", file)
		}
	}
}

func TestBrokenLinks(t *testing.T) {
	all := map[string]string{
		"a.md": "# One\n\n[ok](docs/b.md#two-words) [ok](#one) [ok](b/c.go) `[code](no.md)`\n[ok](https://example.com/x)\n" +
			"[no](docs/c.md) [no](docs/b.md#three) [no](#two) [no](../x.md)\n",
		"docs/b.md": "# Two `words`\n\n[ok](../a.md)\n\n```\n# Three\n[no](no.md)\n```\n",
	}
	broken, links := brokenLinks(all, func(file string) bool { return file == "b/c.go" })
	if len(broken) != 4 || links != 8 {
		t.Errorf("%d of %d links: %q", len(broken), links, broken)
	}
}

var (
	namedTest    = regexp.MustCompile("`(Test[A-Z]\\w+)(?:/[^`]*)?`")
	declaredTest = regexp.MustCompile(`(?m)^func (Test[A-Z]\w+)\(`)
)

// TestPagesNameTestsThatExist: a page that says which test holds a claim names one that is there.
func TestPagesNameTestsThatExist(t *testing.T) {
	declared := map[string]bool{}
	err := fs.WalkDir(repository, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == "bin" || file == ".git"):
			return fs.SkipDir
		case strings.HasSuffix(file, "_test.go"):
			for _, m := range declaredTest.FindAllStringSubmatch(content(t, file), -1) {
				declared[m[1]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for file, text := range documents(t) {
		if file == "CHANGELOG.md" {
			continue // it tells of what was
		}
		for _, m := range namedTest.FindAllStringSubmatch(text, -1) {
			if named++; !declared[m[1]] {
				t.Errorf("%s names %s, which is not there", file, m[1])
			}
		}
	}
	if named < 40 {
		t.Errorf("only %d names of tests were found", named)
	}
}
