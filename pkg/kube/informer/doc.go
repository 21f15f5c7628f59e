// Package informer keeps watch-backed copies of the objects that steps read while they wait, and a read cache for a
// whole run.
//
// A reflector lists and watches one resource into a store. Watches subscribe to a store by filters, and a change wakes
// only the watches whose filter it matches.
package informer
