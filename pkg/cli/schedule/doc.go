// Package schedule implements hcctl schedule.
package schedule
