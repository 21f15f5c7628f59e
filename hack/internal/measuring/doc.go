// Package measuring holds what the benchmarks share: it runs and times programs, counts requests, and formats numbers.
package measuring
