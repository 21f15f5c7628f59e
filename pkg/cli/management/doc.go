// Package management is the commands that plan work on the management cluster: upgrade management, maintenance.
package management
