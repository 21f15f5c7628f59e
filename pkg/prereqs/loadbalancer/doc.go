// Package loadbalancer holds the prerequisites of addresses for hosted API servers: MetalLB and its pools, or a load
// balancer that is there.
package loadbalancer
