// Package plan is a client that changes nothing: it keeps what would have been written, shows that to later reads, and
// prints it as differences in which secrets are masked.
package plan
