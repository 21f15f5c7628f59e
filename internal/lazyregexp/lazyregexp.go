// Package lazyregexp compiles regular expressions when they are first used. A program with many of them, of which one
// command needs few, then starts sooner and touches less memory.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression of a package variable. It may be used by several goroutines.
type Regexp struct {
	expression string
	once       sync.Once
	compiled   *regexp.Regexp
}

// New compiles nothing yet. The compiler lays the variable out, so that its package needs no code to initialize it:
// keep this function as small as that takes.
func New(expression string) *Regexp { return &Regexp{expression: expression} }

// Get returns the compiled expression. It panics if the expression is wrong.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.expression) })
	return r.compiled
}

// MatchString is that of regexp.Regexp, and so are the methods below.
func (r *Regexp) MatchString(s string) bool { return r.Get().MatchString(s) }

// FindString returns the leftmost match.
func (r *Regexp) FindString(s string) string { return r.Get().FindString(s) }

// FindStringSubmatch returns the leftmost match and its groups.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.Get().FindStringSubmatch(s) }

// FindAllString returns up to n matches, all if n is negative.
func (r *Regexp) FindAllString(s string, n int) []string { return r.Get().FindAllString(s, n) }

// FindAllStringSubmatch returns up to n matches with their groups, all if n is negative.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.Get().FindAllStringSubmatch(s, n)
}

// ReplaceAllString replaces matches, with $1 for groups.
func (r *Regexp) ReplaceAllString(s, by string) string { return r.Get().ReplaceAllString(s, by) }

// ReplaceAllStringFunc replaces matches by what a function makes of them.
func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.Get().ReplaceAllStringFunc(s, by)
}
