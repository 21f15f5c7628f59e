// Package dump collects the state of a hosted cluster in one archive for a later analysis: objects, conditions, events,
// logs, the state inside the hosted cluster, and the operators it depends on.
//
// A dump contains no secrets. It lists what could not be read, with the reason, and ends within its time limits even if
// nothing answers.
package dump
