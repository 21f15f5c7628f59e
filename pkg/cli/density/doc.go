// Package density implements hcctl density.
package density
