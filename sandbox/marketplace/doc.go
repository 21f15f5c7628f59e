// Package marketplace gives a sandbox its operator catalogs: a catalog server, the real OLM, and PackageManifests.
//
// OLM's own package server does not run outside a cluster (v0.46.0: its authorization options ignore --kubeconfig), so
// PackageManifests are served by this package, from the same catalogs.
package marketplace
