// Package dump collects the state of a hosted cluster in one archive, to find out later or elsewhere what is wrong:
// objects, conditions, events, logs, the hosted cluster's own state, and the operators it depends on.
//
// A dump contains no secrets. It lists what could not be read, with the reason, and ends in time even if nothing
// answers.
package dump
