// Package report renders what the engine tells: live on a terminal, as plain lines elsewhere, and checks as text or
// JSON. It imports the engine and nothing of Kubernetes, and writes only to the writers it is given.
package report
