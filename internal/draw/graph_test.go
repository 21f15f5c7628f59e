package draw

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// columns returns the IDs of the boxes in each layer, from top to bottom.
func columns(boxes ...Box) [][]string {
	l := arrange(boxes)
	l.place()
	var out [][]string
	for _, layer := range l.layers {
		var ids []string
		for _, s := range layer {
			if s.box != nil {
				ids = append(ids, s.box.ID)
			}
		}
		out = append(out, ids)
	}
	return out
}

func TestBoxesStandBehindWhatTheyNeed(t *testing.T) {
	got := columns(Box{ID: "d", Needs: []string{"b", "c", "a"}}, Box{ID: "a"}, Box{ID: "b", Needs: []string{"a"}},
		Box{ID: "c", Needs: []string{"b"}})
	if want := "[[a] [b] [c] [d]]"; fmt.Sprint(got) != want {
		t.Errorf("layers %v, want %s", got, want)
	}
}

func TestArrowsCrossLittle(t *testing.T) {
	// In the order given, every arrow would cross another one.
	got := columns(Box{ID: "a"}, Box{ID: "b"}, Box{ID: "c"}, Box{ID: "z", Needs: []string{"c"}},
		Box{ID: "y", Needs: []string{"b"}}, Box{ID: "x", Needs: []string{"a"}})
	if len(got) != 2 || slices.Index(got[0], "a") != slices.Index(got[1], "x") ||
		slices.Index(got[0], "b") != slices.Index(got[1], "y") {
		t.Errorf("arrows cross: %v", got)
	}
}

func TestOnlyArrowsThatSaySomething(t *testing.T) {
	g := Graph{Boxes: []Box{{ID: "a"}, {ID: "b", Needs: []string{"a"}}, {ID: "c", Needs: []string{"a", "b", "gone"}}}}
	l := arrange(func() []Box { _, joined := g.split(); return joined }())
	l.place()
	if n := len(l.paths()); n != 2 {
		t.Errorf("%d arrows, want 2: c needs a through b", n)
	}
}

func TestBoxesDoNotOverlap(t *testing.T) {
	var g Graph
	for i := range 40 {
		b := Box{ID: fmt.Sprint(i)}
		for j := range i {
			if (i*7+j*3)%11 == 0 {
				b.Needs = append(b.Needs, fmt.Sprint(j))
			}
		}
		g.Boxes = append(g.Boxes, b)
	}
	var b strings.Builder
	g.write(&b)
	var spots [][2]float64
	for _, m := range regexp.MustCompile(`<rect class="c0" x="([\d.]+)" y="([\d.]+)"`).FindAllStringSubmatch(b.String(), -1) {
		var x, y float64
		if _, err := fmt.Sscan(m[1]+" "+m[2], &x, &y); err != nil {
			t.Fatal(err)
		}
		for _, s := range spots {
			if s[0] == x && max(s[1], y)-min(s[1], y) < boxHeight {
				t.Errorf("boxes at %v and %v overlap", s, [2]float64{x, y})
			}
		}
		spots = append(spots, [2]float64{x, y})
	}
	if len(spots) != 40 {
		t.Errorf("%d boxes are drawn, want 40", len(spots))
	}
}

func TestDOT(t *testing.T) {
	g := Graph{Name: "n", Boxes: []Box{{ID: `a"\`, Title: "one", Note: "a", Glyph: "✓", Colour: Green},
		{ID: "b", Needs: []string{`a"\`, "gone"}}}}
	want := `digraph "n" {
  rankdir=LR;
  node [shape=box, style=rounded, fontname="sans-serif"];
  "a\"\\" [label="✓ one\na", color="#2a6b40", tooltip="a\"\\"];
  "b" [label="", color="#2f6fb3", tooltip="b"];
  "a\"\\" -> "b";
}
`
	if got := g.DOT(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCutKeepsBothEnds(t *testing.T) {
	if got := cut("OpenShift Data Foundation operator", 20); got != "OpenShift Dat…rator" && len([]rune(got)) > 20 {
		t.Errorf("cut is %q", got)
	}
	if got := cut("short", 20); got != "short" {
		t.Errorf("cut is %q", got)
	}
}
