// Package options describes one hosted cluster and its node pools as a user gives them. It has the one table of fields,
// the defaults, the parsers of single values and files, and their validation; errors are of type Error.
package options
