package plan

import (
	"fmt"
	"strings"
)

// diffContext is how many unchanged lines a diff shows around what changes.
const diffContext = 3

// diffCells bounds the work of comparing two texts; longer ones are told apart more coarsely.
const diffCells = 4_000_000

// edit is one line of a comparison: kept (' '), taken out ('-') or put in ('+').
type edit struct {
	sign byte
	line string
}

// unified is the unified diff of two texts without file names, empty where they are the same.
func unified(before, after []string) string {
	edits := compare(before, after)
	var b strings.Builder
	for start := 0; start < len(edits); {
		if edits[start].sign == ' ' {
			start++
			continue
		}
		end := hunkEnd(edits, start)
		writeHunk(&b, edits, max(0, start-diffContext), min(len(edits), end+diffContext))
		start = end
	}
	return b.String()
}

// hunkEnd is the place after the last change of the hunk that begins at start: changes less than two contexts apart are one.
func hunkEnd(edits []edit, start int) int {
	end := start
	for i := start; i < len(edits) && i-end <= 2*diffContext; i++ {
		if edits[i].sign != ' ' {
			end = i + 1
		}
	}
	return end
}

func writeHunk(b *strings.Builder, edits []edit, from, to int) {
	firstBefore, firstAfter := 1, 1
	for _, e := range edits[:from] {
		firstBefore += lines(e.sign != '+')
		firstAfter += lines(e.sign != '-')
	}
	before, after := 0, 0
	for _, e := range edits[from:to] {
		before += lines(e.sign != '+')
		after += lines(e.sign != '-')
	}
	// A side without lines is named by the line before it, by diff's custom.
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", firstBefore-lines(before == 0), before, firstAfter-lines(after == 0), after)
	for _, e := range edits[from:to] {
		fmt.Fprintf(b, "%c%s\n", e.sign, e.line)
	}
}

func lines(one bool) int {
	if one {
		return 1
	}
	return 0
}

// compare tells by the longest common subsequence which lines stay.
func compare(before, after []string) []edit {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	edits := signed(' ', before[:head])
	edits = append(edits, middle(before[head:len(before)-tail], after[head:len(after)-tail])...)
	return append(edits, signed(' ', before[len(before)-tail:])...)
}

func middle(before, after []string) []edit {
	if len(before)*len(after) > diffCells || len(before) == 0 || len(after) == 0 {
		return append(signed('-', before), signed('+', after)...)
	}
	// common[i][j] is the length of the longest common subsequence of before[i:] and after[j:].
	common := make([][]int32, len(before)+1)
	for i := range common {
		common[i] = make([]int32, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var edits []edit
	i, j := 0, 0
	for i < len(before) && j < len(after) {
		switch {
		case before[i] == after[j]:
			edits = append(edits, edit{' ', before[i]})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			edits = append(edits, edit{'-', before[i]})
			i++
		default:
			edits = append(edits, edit{'+', after[j]})
			j++
		}
	}
	edits = append(edits, signed('-', before[i:])...)
	return append(edits, signed('+', after[j:])...)
}

func signed(sign byte, text []string) []edit {
	edits := make([]edit, 0, len(text))
	for _, line := range text {
		edits = append(edits, edit{sign, line})
	}
	return edits
}

// yamlLines are the lines of an object as YAML; none for nil.
func yamlLines(obj map[string]any) []string {
	text := strings.TrimSuffix(string(yamlOf(obj)), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
