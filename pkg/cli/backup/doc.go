// Package backup is the commands about backups of hosted clusters: backup, restore.
package backup
