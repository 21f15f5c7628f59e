// Package overlays writes the objects of several environments as a kustomize base, which has what they share, and one
// overlay for each with what differs. It asks no server.
package overlays
