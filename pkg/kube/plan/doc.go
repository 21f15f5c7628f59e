// Package plan is a client that changes nothing: it records writes, returns their results to later reads, and prints
// them as diffs with masked secrets.
//
// Writes are sent as dry runs, so that defaults, validation and webhooks of the API server apply. Each write is
// recorded with the object before and after. If the API server cannot validate it yet, because the namespace or the CRD
// is missing, the object is recorded as sent, and the plan says so.
package plan
