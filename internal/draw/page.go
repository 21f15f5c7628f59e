package draw

import (
	_ "embed"
	"strings"
)

//go:embed page.css
var style string

// Page is one HTML document.
type Page struct {
	Title string
	// Lead has the paragraphs below the title.
	Lead []string
	Body []Node
}

// String returns the page as HTML.
func (p Page) String() string {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n")
	all{
		el("meta", at("name", "viewport", "content", "width=device-width, initial-scale=1")),
		el("meta", at("http-equiv", "Content-Security-Policy", "content", "default-src 'none'; style-src 'unsafe-inline'")),
		el("title", nil, text(p.Title)),
	}.write(&b)
	b.WriteString("<style>\n" + style + "</style></head><body>\n")
	el("h1", nil, text(p.Title)).write(&b)
	for _, words := range p.Lead {
		el("p", at("class", "lead"), text(words)).write(&b)
	}
	all(p.Body).write(&b)
	b.WriteString("</body></html>\n")
	return b.String()
}
