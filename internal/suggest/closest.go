// Package suggest finds what a mistyped word may have meant.
package suggest

import (
	"slices"
	"strings"
)

// most is how many suggestions help; more are a list to read.
const most = 3

// Words returns those known words that got may have meant, the nearest first: at most a third of its letters differ, or
// it is a part of them. It returns at most three, and none if nothing is near.
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
	for _, c := range found[:min(len(found), most)] {
		out = append(out, c.word)
	}
	return out
}

// distance is how many letters have to be put in, left out, changed or swapped with their neighbour to make b of a.
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
