// Package imageref tells what is a reference of a container image. All flags and fields that take one ask it.
package imageref

import "github.com/hcctl/hcctl/internal/lazyregexp"

// Longest is how many characters a reference may have. No registry serves a longer one: a repository has at most 255, a
// tag 128, a digest 135.
const Longest = 512

// form is the grammar of distribution/reference v0.6.0, as the container runtimes read it: a host and perhaps a port, a
// path in lower case, a tag, a digest. A first part in upper case is a host.
var form = lazyregexp.New(`^(?:` + host + `/)?` + part + `(?:/` + part + `)*` +
	`(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,128})?$`)

const (
	label = `[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?`
	host  = `(?:` + label + `(?:\.` + label + `)*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?`
	part  = `[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*`
)

// Valid reports whether a text is a reference of an image. Such a text has no blank, quote or other sign of a shell.
func Valid(text string) bool { return len(text) <= Longest && form.MatchString(text) }
