// Package report shows runs of the engine: live on a terminal, as plain lines elsewhere, and checks as text or JSON. It
// knows nothing of Kubernetes and writes only to the given writers.
package report
