// Package inspect reads what tells why a hosted cluster is as it is: the events of its objects and the logs of its
// pods. It only reads.
package inspect
