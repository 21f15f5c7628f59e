// Package loadbalancer holds the prerequisites of addresses for hosted API servers: MetalLB and its pools, or an
// existing load balancer.
package loadbalancer
