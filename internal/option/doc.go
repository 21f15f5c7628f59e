// Package option describes one option of a command: its row in a table of fields, and what is wrong with its value.
package option
