// Package optionstest makes options for tests, from the examples in the table of fields.
package optionstest
