// Package plan is a client that changes nothing. It records the writes, shows them to later reads, and prints them as
// diffs with masked secrets.
package plan
