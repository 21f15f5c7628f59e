// Package manifests reads a folder of the HyperConverged operator's manifests, puts them in order, and checks and
// applies them.
package manifests
