// Package cli is the root of hcctl's command line, with completion and help. Commands are in the directories
// below; their common code is in internal/cmdutil.
//
// Only these packages print, and only they import cobra. Text goes through cmdutil's functions, which put each
// value on one line. Both streams go through sanitize.Guard, and JSON, YAML and XML come from the encoders of
// sanitize.
package cli
