// Package release selects the release image of a new hosted cluster: from ClusterImageSets, the management cluster's
// own release, or a stream of the CI's release server.
package release
