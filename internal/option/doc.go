// Package option describes the options of commands: the row of an option in a table of fields, and errors about its
// value.
package option
