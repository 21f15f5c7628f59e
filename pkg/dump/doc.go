// Package dump gathers all that tells how a hosted cluster is into one archive, for those who have to find out what is
// wrong with it later or elsewhere: objects, conditions, events, logs, the hosted cluster's own state, and what runs
// it. Nothing in it is secret, what could not be read is in it with why, and it ends in its time whatever does not
// answer.
package dump
