package main

import (
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// section is a part of a page under one heading, for the search.
type section struct {
	Page    string `json:"p"`
	Heading string `json:"h"`
	URL     string `json:"u"`
	Text    string `json:"x"`
	// Keywords are other words for the page's subject, at its first section.
	Keywords string `json:"k,omitempty"`
}

// document is what was read of a page.
type document struct {
	ids   map[string]bool
	links []string
}

// look reads every page of the site. It returns the sections, and the links that are broken or would load something
// from the net.
func look(made string) (sections []section, wrong []string, err error) {
	all := map[string]*document{}
	err = filepath.WalkDir(made, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".html" {
			return err
		}
		name, err := filepath.Rel(made, file)
		if err != nil {
			return err
		}
		r, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = r.Close() }()
		tree, err := html.Parse(r)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		doc := &document{ids: map[string]bool{}}
		name = filepath.ToSlash(name)
		all[name] = doc
		wrong = append(wrong, doc.read(name, tree)...)
		sections = append(sections, sectionsOf(name, tree)...)
		return nil
	})
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, to := range all[name].links {
			if !leads(made, all, name, to) {
				wrong = append(wrong, name+": "+to)
			}
		}
	}
	return sections, wrong, err
}

// addKeywords adds the keywords of docs/keywords.txt to the first section of each page below docs.
func addKeywords(sections []section, text string) {
	words := map[string]string{}
	for line := range strings.Lines(text) {
		if name, of, is := strings.Cut(strings.TrimSpace(line), ": "); is && !strings.HasPrefix(line, "#") {
			words["docs/"+name+".html"] = of
		}
	}
	for i := range sections {
		sections[i].Keywords = words[sections[i].URL]
	}
}

// leads reports whether a link of a page has a target. Links to the net count as valid.
func leads(made string, all map[string]*document, from, to string) bool {
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return false
	case u.Scheme == "https" || u.Scheme == "http" || u.Scheme == "mailto":
		return true
	case u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/"):
		return false
	}
	target := from
	if u.Path != "" {
		target = path.Join(path.Dir(from), u.Path)
	}
	if strings.HasPrefix(target, "..") {
		return target == "../versions.js" // It is written last, for all versions.
	}
	if target == "search-index.js" {
		return true
	}
	if doc, ok := all[target]; ok {
		return u.Fragment == "" || doc.ids[u.Fragment]
	}
	info, err := os.Stat(filepath.Join(made, filepath.FromSlash(target)))
	return err == nil && !info.IsDir()
}

// read collects ids and links. Anything that a page would load from the net is an error.
func (d *document) read(name string, n *html.Node) (wrong []string) {
	if n.Type == html.ElementNode {
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				d.ids[a.Val] = true
			case a.Key == "href" && n.Data == "a":
				d.links = append(d.links, a.Val)
			case a.Key == "href" || a.Key == "src" || a.Key == "srcset":
				d.links = append(d.links, a.Val)
				if strings.Contains(a.Val, "//") {
					wrong = append(wrong, name+": loads "+a.Val)
				}
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		wrong = append(wrong, d.read(name, c)...)
	}
	return wrong
}

// sectionsOf splits the article of a page at its headings.
func sectionsOf(name string, tree *html.Node) []section {
	var out []section
	title := ""
	var visit func(*html.Node)
	visit = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode && len(out) > 0:
			out[len(out)-1].Text += n.Data
		case n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '3':
			text := strings.TrimSuffix(strings.Join(strings.Fields(textOf(n)), " "), " #")
			at := name
			if n.Data == "h1" {
				title = text
			} else if id := attribute(n, "id"); id != "" {
				at += "#" + id
			}
			out = append(out, section{Page: title, Heading: text, URL: at})
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
		if n.Type == html.ElementNode && len(out) > 0 && slices.Contains([]string{"p", "td", "th", "li", "pre"}, n.Data) {
			out[len(out)-1].Text += " "
		}
	}
	if article := find(tree, "article"); article != nil {
		visit(article)
	}
	for i := range out {
		out[i].Text = strings.Join(strings.Fields(out[i].Text), " ")
	}
	return out
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	text := ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		text += textOf(c)
	}
	return text
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func find(n *html.Node, element string) *html.Node {
	if n.Type == html.ElementNode && n.Data == element {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if found := find(c, element); found != nil {
			return found
		}
	}
	return nil
}
