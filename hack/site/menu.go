package main

import (
	"path"
	"slices"
	"strings"
)

// group is a part of the menu.
type group struct {
	Title string `json:"title"`
	Links []link `json:"links"`
}

type link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	About string `json:"about"`
}

// up returns the page above a page of docs/checks, which the menu does not show directly, or nil.
func up(p page) *link {
	if p.listing || path.Dir(p.file) != "docs/checks" {
		return nil
	}
	return &link{Title: "Checks", URL: "docs/checks/README.html"}
}

// titleOf returns the first heading of a page, without markup.
func titleOf(name string, body []byte) string {
	if found := heading.FindSubmatch(body); found != nil {
		return strings.NewReplacer("`", "", "*", "").Replace(string(found[1]))
	}
	return name
}

// menu returns the menu: the pages in the order of docs/README.md, then the checks.
func menu(pages []page) []group {
	by := map[string]page{}
	for _, p := range pages {
		by[p.file] = p
	}
	groups, current := []group{}, group{}
	for l := range strings.SplitSeq(string(by["docs/README.md"].body), "\n") {
		if title, ok := strings.CutPrefix(l, "## "); ok {
			groups, current = append(groups, current), group{Title: title}
		}
		cells := row.FindStringSubmatch(l)
		if cells == nil {
			continue
		}
		for _, to := range linked.FindAllStringSubmatch(cells[1], -1) {
			if p, ok := by[path.Join("docs", to[1])]; ok {
				current.Links = append(current.Links, link{p.title, p.url(), cells[2]})
			}
		}
	}
	groups = append(groups, current)
	checks := group{Title: "Checks"}
	for _, p := range pages {
		if strings.HasPrefix(p.file, "docs/checks/") {
			checks.Links = append(checks.Links, link{Title: p.title, URL: p.url()})
		}
	}
	groups = append(groups, checks)
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.Links) == 0 })
}
