// Package capacity calculates how many hosted clusters fit on nodes, from the requests of pods.
package capacity
