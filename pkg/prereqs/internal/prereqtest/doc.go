// Package prereqtest helps the tests of prerequisites.
package prereqtest
