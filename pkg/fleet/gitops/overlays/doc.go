// Package overlays writes the objects of several environments as a kustomize base with what they share, and an
// overlay for each environment with what differs. It contacts no server.
package overlays
