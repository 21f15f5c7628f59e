// Package capacity is the arithmetic of how many hosted clusters fit on nodes, by what pods request.
package capacity
