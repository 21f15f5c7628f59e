// Package options describes one hosted cluster and its node pools as a user gives them.
//
// One table of fields (fields.go) has each option's name in flags and files, its text, allowed values, what it writes,
// and an example. Flags, files, their schema, docs/cluster.md, completion and a golden file for each come from it.
//
// Validate parses and checks the raw options once. Only its result, Validated, makes objects. An error is an Error with
// field, value and detail; the caller adds the flag, or the file and line.
//
// Checks that need a cluster follow, before anything is written: the preflight (prereqs.Preflight), then strict dry
// runs of the objects.
package options
