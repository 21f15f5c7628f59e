// Package support has the command support.
package support
