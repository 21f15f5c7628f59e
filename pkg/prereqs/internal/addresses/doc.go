// Package addresses holds ranges of IP addresses, and MetalLB's pools, which consist of them.
package addresses
