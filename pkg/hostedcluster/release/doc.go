// Package release decides on the release image of a new hosted cluster: by ClusterImageSets, the management cluster's
// own release, or a stream of the CI's release server.
package release
