// Package suggest finds known words that are similar to a mistyped one.
package suggest

import (
	"slices"
	"strings"
)

// maxWords is the maximum number of suggestions.
const maxWords = 3

// Words returns the known words that are similar to got, the closest first: at most a third of the letters differ, or
// got is a part of the word. It returns at most three.
func Words(got string, known []string) []string {
	type candidate struct {
		word string
		far  int
	}
	var found []candidate
	low := strings.ToLower(got)
	for _, word := range known {
		far := distance(low, strings.ToLower(word))
		within := len(low) >= 3 && strings.Contains(strings.ToLower(word), low)
		if far <= max(1, len(low)/3) || within {
			found = append(found, candidate{word, far})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.far - b.far })
	var out []string
	for _, c := range found[:min(len(found), maxWords)] {
		out = append(out, c.word)
	}
	return out
}

// Typo returns the known word that differs from got by one letter, "" if there is none. Upper case, and an s or an
// underscore more or less, do not count: such words often mean two things. Words of less than five letters are ignored.
func Typo(got string, known []string) string {
	const minLength = 5
	if len(got) < minLength {
		return ""
	}
	low, typo := plain(got), ""
	for _, word := range known {
		other := plain(word)
		switch {
		case other == low:
			return ""
		case typo == "" && max(len(low), len(other))-min(len(low), len(other)) <= 1 && distance(low, other) == 1:
			typo = word
		}
	}
	return typo
}

var ignored = strings.NewReplacer("s", "", "_", "")

func plain(word string) string { return ignored.Replace(strings.ToLower(word)) }

// distance returns the number of letters that must be inserted, removed, changed or swapped with their neighbour to get
// b from a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
