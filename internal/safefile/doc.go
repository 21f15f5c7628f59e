// Package safefile opens, locks and replaces files in directories that other users may write, such as /tmp. It does not
// follow links of others, does not wait for FIFOs, and checks by the descriptor what it has opened.
package safefile
