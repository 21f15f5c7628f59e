// Package schedule has the command schedule.
package schedule
