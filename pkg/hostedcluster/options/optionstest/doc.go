// Package optionstest builds options for tests, from the examples in the table of fields.
package optionstest
