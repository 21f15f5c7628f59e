// Package addresses holds ranges of IP addresses, and MetalLB's pools of ranges.
package addresses
