package disk

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/plural"
)

// maxLines is the maximum number of disks in the narrow table of a plan.
const maxLines = 200

// Lines returns the plan as a table with a header and one line per disk. wide adds columns.
func (p Plan) Lines(wide bool) []string {
	head := []string{"NODE", "DEVICE", "SIZE", "MEDIA", "TYPE", "MODEL", "SIGNATURE", "BY-ID"}
	if wide {
		head = append(head, "VENDOR", "SERIAL", "STATE")
	}
	table := [][]string{append(head, "PLAN")}
	for i, r := range p.Rows {
		if i == maxLines && !wide {
			break
		}
		row := []string{r.Node, r.Device, Bytes(r.Size), string(r.Media), r.Type, r.Model, r.Signature, r.Link()}
		if wide {
			row = append(row, r.Vendor, r.Serial, r.State)
		}
		table = append(table, append(row, r.verdict()))
	}
	lines := aligned(table)
	if n := len(p.Rows) + 1 - len(table); n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: hcctl disks -o wide", n))
	}
	return lines
}

// ByNode returns the plan with one line per node, for a screen that is too narrow for the table.
func (p Plan) ByNode() []string {
	var lines []string
	for _, node := range p.Nodes() {
		var taken, left []string
		size := int64(0)
		for _, r := range p.Rows {
			device := strings.TrimPrefix(r.Device, "/dev/")
			switch {
			case r.Node != node:
			case r.Taken:
				taken, size = append(taken, device), size+r.Size
			default:
				left = append(left, device+" ("+strings.TrimPrefix(r.verdict(), "left: ")+")")
			}
		}
		line := fmt.Sprintf("%s: takes %s (%s)", node, strings.Join(taken, ", "), Bytes(size))
		if len(left) > 0 {
			line += "; leaves " + strings.Join(left, ", ")
		}
		lines = append(lines, line)
	}
	return lines
}

// verdict returns the decision about the disk in one line.
func (r Row) verdict() string {
	if len(r.Doubts) == 0 {
		return r.Why
	}
	return r.Why + ", in doubt: " + strings.Join(r.Doubts, "; ")
}

// aligned pads all columns of a table except the last.
func aligned(table [][]string) []string {
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for c, text := range row {
			row[c] = cmp.Or(strings.Join(strings.Fields(text), " "), "-")
			widths[c] = max(widths[c], utf8.RuneCountInString(row[c]))
		}
	}
	var lines []string
	for _, row := range table {
		var b strings.Builder
		for c, text := range row {
			b.WriteString(text)
			if c < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[c]-utf8.RuneCountInString(text)+2))
			}
		}
		lines = append(lines, b.String())
	}
	return lines
}

// Summary describes what is taken in a few words.
func (p Plan) Summary() string {
	taken := p.Taken()
	var size int64
	for _, d := range taken {
		size += d.Size
	}
	return plural.Count(len(taken), "disk") + " on " + plural.Count(len(p.Nodes()), "node") + ", " + Bytes(size) +
		" in all"
}
