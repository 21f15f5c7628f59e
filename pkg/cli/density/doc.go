// Package density has the command density.
package density
