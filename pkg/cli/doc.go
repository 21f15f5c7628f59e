// Package cli is the root of hcctl's command line, with completion and help. Commands are in the directories below;
// what they share is in internal/cmdutil.
//
// Only these packages print, and only they know cobra. Text goes out through cmdutil's functions, which put each value
// on one line; sanitize.Guard stands before both streams, and JSON, YAML and XML come from the encoders of sanitize.
package cli
