package main

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/hinshun/vt10x"
)

// frame is the terminal's content from a time on: one SVG line per row.
type frame struct {
	at   time.Duration
	rows []string
}

// Sizes of a cell in pixels, and how long the last frame stays before the picture restarts.
const (
	cellWidth, cellHeight = 8.4, 18.0
	padding               = 12.0
	pause                 = 8 * time.Second
)

// colours is a terminal's palette on a dark background.
var colours = map[vt10x.Color]string{0: "#4b5563", 1: "#ee7d6b", 2: "#62b880", 3: "#e3b341", 4: "#5d9fe0", 5: "#c08ad6",
	6: "#55b9c0", 7: "#d7dce1", 8: "#8d959e", 9: "#ff9b8a", 10: "#7fd49b", 11: "#f2c75c", 12: "#82b8ef", 13: "#d4a6e6",
	14: "#7ed0d6",
	15: "#ffffff"}

// Drawn bits of vt10x.Glyph.Mode, which the module does not export.
const (
	modeBold = 1 << 2
)

func snapshot(screen vt10x.Terminal, columns, rows int, at time.Duration) frame {
	screen.Lock()
	defer screen.Unlock()
	f := frame{at: at}
	for y := range rows {
		f.rows = append(f.rows, row(screen, y, columns))
	}
	return f
}

// row returns a row as SVG: a tspan for each run of cells with equal style, without trailing spaces.
func row(screen vt10x.Terminal, y, columns int) string {
	last := -1
	for x := range columns {
		if c := screen.Cell(x, y).Char; c != ' ' && c != 0 {
			last = x
		}
	}
	var b strings.Builder
	for x := 0; x <= last; {
		first := screen.Cell(x, y)
		var text strings.Builder
		begin := x
		for ; x <= last; x++ {
			c := screen.Cell(x, y)
			if c.FG != first.FG || c.Mode != first.Mode {
				break
			}
			if c.Char == 0 {
				c.Char = ' '
			}
			text.WriteRune(c.Char)
		}
		style := ""
		if colour, ok := colours[first.FG]; ok {
			style += ` fill="` + colour + `"`
		}
		if first.Mode&modeBold != 0 {
			style += ` font-weight="700"`
		}
		if strings.TrimSpace(text.String()) != "" {
			fmt.Fprintf(&b, `<tspan x="%.1f"%s>%s</tspan>`, float64(begin)*cellWidth, style, html.EscapeString(text.String()))
		}
	}
	return b.String()
}

// appendChanged appends a frame that differs from the last.
func appendChanged(frames []frame, f frame) []frame {
	if len(frames) > 0 && slices.Equal(frames[len(frames)-1].rows, f.rows) {
		return frames
	}
	return append(frames, f)
}

// shown is a row that stays at one place from one frame to another.
type shown struct {
	y, from, to int
	row         string
}

// spans returns the rows of the frames, each with the time it stays at its place.
func spans(frames []frame) []shown {
	var all []shown
	at := map[int]int{} // the span that a line has now
	for i, f := range frames {
		for y, r := range f.rows {
			if n, ok := at[y]; ok && all[n].row == r && all[n].to == i {
				all[n].to = i + 1
				continue
			}
			delete(at, y)
			if r != "" {
				at[y] = len(all)
				all = append(all, shown{y, i, i + 1, r})
			}
		}
	}
	return all
}

// svg returns the animation, faster than the run by this factor. Each row is written once, however often it is shown.
// Without animation the last frame is shown.
func svg(frames []frame, columns, rows, faster int, title string) string {
	width, height := float64(columns)*cellWidth+2*padding, float64(rows)*cellHeight+2*padding
	whole := frames[len(frames)-1].at/time.Duration(faster) + pause
	percent := func(i int) string {
		if i == 0 || i == len(frames) {
			return map[bool]string{true: "0", false: "100"}[i == 0]
		}
		return fmt.Sprintf("%.2f", (frames[i].at/time.Duration(faster)).Seconds()/whole.Seconds()*100)
	}
	var defs, body, style strings.Builder
	known, times := map[string]int{}, map[string]bool{}
	for _, s := range spans(frames) {
		id, ok := known[s.row]
		if !ok {
			id = len(known)
			known[s.row] = id
			fmt.Fprintf(&defs, "<text id=\"r%d\">%s</text>\n", id, s.row)
		}
		name := fmt.Sprintf("f%d-%d", s.from, s.to)
		last := bit(s.to == len(frames))
		if !times[name] {
			times[name] = true
			fmt.Fprintf(&style, "@keyframes %s{0%%{opacity:%d}%s%%{opacity:1}%s%%,to{opacity:%d}}\n", name, bit(s.from == 0),
				percent(s.from), percent(s.to), last)
			fmt.Fprintf(&style, ".%s{opacity:%d;animation-name:%s}\n", name, last, name)
		}
		fmt.Fprintf(&body, `<use href="#r%d" y="%.0f" class="%s"/>`, id, float64(s.y)*cellHeight, name)
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">
<title>%s</title>
<style>text{font:14px ui-monospace,"DejaVu Sans Mono",monospace;fill:#d7dce1;white-space:pre}
use{animation:%.1fs step-end infinite}
@media (prefers-reduced-motion:reduce){use{animation:none}}
%s</style>
<defs>%s</defs>
<rect width="100%%" height="100%%" rx="8" fill="#15181c"/>
<g transform="translate(%.0f %.0f)">
%s</g></svg>
`, width, height, html.EscapeString(title), html.EscapeString(title), whole.Seconds(), style.String(), defs.String(), padding,
		padding+cellHeight*0.75, body.String())
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
