// Package marketplace runs the operator catalogs of a sandbox: a catalog server, the real OLM, and PackageManifests.
//
// OLM's own package server does not run outside a cluster (v0.46.0: its authorization options ignore --kubeconfig). So
// this package serves PackageManifests, from the same catalogs.
package marketplace
