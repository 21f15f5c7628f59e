// Package safefile opens, locks and replaces files in directories to which other users may write, such as /tmp. It does
// not follow links of other users, does not block on FIFOs, and checks opened files by their descriptors.
package safefile
