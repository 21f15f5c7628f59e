// Package plan is a client that changes nothing: it keeps what would have been written, shows that to later reads, and
// prints it as differences in which secrets are masked.
//
// Writes go out as dry runs, so that defaults, validation and webhooks of the API server apply. Each is kept with the
// object before and after. Where the API server cannot be asked yet, because the namespace or the CRD is missing, the
// object is kept as it would be sent, and the plan says so.
package plan
