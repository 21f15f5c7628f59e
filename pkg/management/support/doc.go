// Package support reports which versions hcctl was tested with, and whether those of a cluster are among them.
package support
