// Package inspect reads the events and logs that explain the state of a hosted cluster: the events of its objects and
// the logs of its pods. It only reads.
package inspect
