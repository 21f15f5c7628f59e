// Package health judges whether an object is well, and if not, why.
//
// kstatus (github.com/fluxcd/cli-utils) decides whether an object is ready. This package adds the reason in words and
// failures that kstatus leaves out, and never calls an object good that kstatus does not.
package health
