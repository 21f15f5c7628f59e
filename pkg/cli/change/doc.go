// Package change has the commands that change hosted clusters: scale, update, upgrade, pause, resume, stop, start.
package change
