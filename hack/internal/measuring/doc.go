// Package measuring is what the benchmarks share: programs that are run and timed, requests that are counted, and
// numbers for people.
package measuring
