// Package hostedtest has the objects of hosted clusters as an API server returns them, and API servers that serve them.
package hostedtest
