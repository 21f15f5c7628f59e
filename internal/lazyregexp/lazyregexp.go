// Package lazyregexp compiles regular expressions when they are first used. A program with many of them, of which one
// command needs few, then starts sooner: repetitions such as {0,252} take the most memory.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression once, at its first call, which panics if the expression is wrong.
// It is for package variables, and may be called from several goroutines.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
