// Package backup has the command backup.
package backup
