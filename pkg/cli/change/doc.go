// Package change has what changes a hosted cluster: scale, update, upgrade, pause, resume, stop, start.
package change
