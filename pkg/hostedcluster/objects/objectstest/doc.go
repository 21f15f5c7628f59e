// Package objectstest makes the objects of a hosted cluster for tests.
package objectstest
