// Package imageref validates references of container images, for all flags and fields that have one.
package imageref

import "github.com/hcctl/hcctl/internal/lazyregexp"

// Longest is the maximum length of a reference, in characters. No registry serves a longer one: a repository has at
// most 255, a tag 128, a digest 135.
const Longest = 512

// form is the grammar of distribution/reference v0.6.0, which container runtimes use: an optional host with port, a
// path in lower case, a tag, a digest. A first part in upper case is a host.
var form = lazyregexp.New(`^(?:` + host + `/)?` + part + `(?:/` + part + `)*` +
	`(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,128})?$`)

const (
	label = `[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?`
	host  = `(?:` + label + `(?:\.` + label + `)*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?`
	part  = `[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*`
)

// Valid reports whether a text is a reference of an image. Such a text has no blank, quote or other shell
// metacharacter.
func Valid(text string) bool { return len(text) <= Longest && form.MatchString(text) }
