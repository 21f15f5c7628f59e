// Package safefile opens, locks and replaces files in folders that other users of the machine may write, such as /tmp.
// Links of others are not followed, FIFOs are not waited for, and what is opened is checked by its descriptor.
package safefile
