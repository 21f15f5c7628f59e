// Package lazyregexp compiles regular expressions on first use. A program with many of them, of which a command needs
// few, then starts sooner and touches less memory.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression for a package variable. It is safe for concurrent use.
type Regexp struct {
	expression string
	once       sync.Once
	compiled   *regexp.Regexp
}

// New returns a Regexp without compiling it. The compiler initializes the variable statically, so that its package
// needs no init code: keep this function small enough for that.
func New(expression string) *Regexp { return &Regexp{expression: expression} }

// Get returns the compiled expression. It panics if the expression is invalid.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.expression) })
	return r.compiled
}

// MatchString is like that of regexp.Regexp, and so are the methods below.
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

// ReplaceAllStringFunc replaces each match by the result of a function.
func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.Get().ReplaceAllStringFunc(s, by)
}
