// Package hostedtest has the objects of hosted clusters as an API server returns them, and clusters that hold them.
package hostedtest
