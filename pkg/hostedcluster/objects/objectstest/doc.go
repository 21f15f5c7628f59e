// Package objectstest creates the objects of a hosted cluster for tests.
package objectstest
