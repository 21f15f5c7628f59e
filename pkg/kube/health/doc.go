// Package health decides whether an object is healthy and, if not, why.
//
// kstatus (github.com/fluxcd/cli-utils) decides whether an object is ready. This package adds the reason as text and
// failures that kstatus does not detect. It never reports an object as healthy that kstatus does not.
package health
