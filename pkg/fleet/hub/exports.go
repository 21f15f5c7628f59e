package hub

import (
	"context"

	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// What the packages below need to write ManifestWorks of their own: the most that Open Cluster Management takes, and
// what it counts for each manifest beside its bytes.
const (
	MostBytes     = mostBytes
	ManifestBytes = manifestBytes
)

// LostAfter is how long a site must answer again for its absence to be noticed.
const LostAfter = lostAfter

// SiteState is why a site is not available, empty if it is.
func SiteState(ctx context.Context, r kube.Reader, site string) (string, error) {
	return siteState(ctx, r, site)
}

// SameWork reports whether a ManifestWork says all that is wanted, apart from the API's own defaults.
func SameWork(have, want *workv1.ManifestWork) bool { return sameWork(have, want) }
