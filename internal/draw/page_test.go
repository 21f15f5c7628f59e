package draw

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/draw/drawtest"
)

// hostile is text that would end an attribute, begin an element or turn the line around.
const hostile = `"><script>alert(1)</script>&amp;` + "\x1b[2J\u202e\nsecond line"

// everything is a page with each kind of node, all with hostile text.
func everything() Page {
	return Page{Title: hostile, Lead: []string{hostile}, Body: []Node{
		Heading(hostile), Subheading(hostile), Paragraph(hostile), Notice(hostile), Code("+" + hostile + "\n-b\n c"),
		Table{Head: []string{hostile}, Rows: [][]string{{hostile}}},
		Rows{Name: hostile, Most: 2, Ticks: []Tick{{1, hostile}}, Keys: []Key{{Red, hostile}},
			Rows: []Row{{Label: hostile, Says: hostile, Value: hostile, Bars: []Bar{{From: 0, To: 1, Says: hostile}}}}},
		Lines{Name: hostile, MostX: 1, MostY: 1, Begin: hostile, End: hostile, Levels: []Tick{{1, hostile}},
			Lines: []Line{{Name: hostile, Points: []Point{{0, 0}, {1, 1}}}}},
		Graph{Name: hostile, Keys: []Key{{Red, hostile}}, Boxes: []Box{{ID: hostile, Title: hostile, Note: hostile,
			Glyph: hostile, Says: hostile}, {ID: "b", Needs: []string{hostile}, Says: hostile}}},
	}}
}

func TestTextOfOthersIsEscaped(t *testing.T) {
	page := everything().String()
	drawtest.Keep(t, "everything", page)
	for _, none := range []string{"<script", "\x1b", "\u202e", "\nsecond line", "http:", "https:", "url(", "@import", "src=",
		"href="} {
		if strings.Contains(page, none) {
			t.Errorf("the page has %q", none)
		}
	}
	if n := strings.Count(page, "&lt;script&gt;"); n < 20 {
		t.Errorf("the text is there %d times, want at least 20", n)
	}
	if !strings.Contains(page, `content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;"`) {
		t.Error("the page lets the browser load something")
	}
	body := regexp.MustCompile(`(?s)<body>.*</body>`).FindString(page)
	for d := xml.NewDecoder(strings.NewReader(body)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the body is not well formed: %v", err)
		}
	}
}

func TestBarsStandWhereTheirValuesAre(t *testing.T) {
	var b strings.Builder
	Rows{Most: 200, Rows: []Row{
		{Label: "a", Bars: []Bar{{From: 50, To: 150, Colour: Orange}}, Marks: []float64{100}},
		{Label: "beyond", Bars: []Bar{{From: -5, To: 900}}},
		{Label: "own scale", Most: 10, Bars: []Bar{{To: 5}}},
	}}.write(&b)
	for _, want := range []string{`class="c1" style="left:25%;width:50%"`, `class="mark" style="left:50%"`,
		`class="c0" style="left:0%;width:100%"`, `class="c0" style="left:0%;width:50%"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	var none strings.Builder
	Rows{Rows: []Row{{Bars: []Bar{{To: 5}}}}}.write(&none)
	if strings.Contains(none.String(), "NaN") || !strings.Contains(none.String(), "left:0%;width:0%") {
		t.Errorf("a chart without a scale: %s", none.String())
	}
}

func TestALineOfOnePointShows(t *testing.T) {
	var b strings.Builder
	Lines{MostX: 10, MostY: 4, Lines: []Line{{Points: []Point{{5, 1}}}, {Name: "empty"}}}.write(&b)
	if want := `points="500,750 510,750"`; !strings.Contains(b.String(), want) || strings.Count(b.String(), "<polyline") != 1 {
		t.Errorf("no %s, or more than one line in\n%s", want, b.String())
	}
}

func TestLinesGoUpwards(t *testing.T) {
	var b strings.Builder
	Lines{MostX: 10, MostY: 4, Lines: []Line{{Points: []Point{{0, 0}, {5, 1}, {10, 4}}}}}.write(&b)
	if want := `points="0,1000 500,750 1000,0"`; !strings.Contains(b.String(), want) {
		t.Errorf("no %s in\n%s", want, b.String())
	}
}
