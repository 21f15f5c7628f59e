// Package backup implements hcctl backup.
package backup
