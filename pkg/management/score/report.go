package score

import (
	"context"
	"fmt"
	"strconv"
	"time"

	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

const (
	// ValidFor is how long a count is valid.
	ValidFor = time.Hour
	// maxClockSkew is how far in the future a count may be, because the site's clock differs from the hub's.
	maxClockSkew = 5 * time.Minute
)

// formNumber matches the numbers that a site may report.
var formNumber = lazyregexp.New(`^[0-9]{1,4}$`)

// Report is a site's count as the hub knows it.
type Report struct {
	// Count is nil if there is no valid one.
	Count *Count
	// Why is the reason why there is none.
	Why string
}

// Reports reads the reports of all sites, by site. It leaves out sites that are not requested to report.
func Reports(ctx context.Context, c *kube.Client) (map[string]Report, error) {
	type reported struct {
		Metadata struct{ Namespace string }
		Status   workv1.ManifestWorkStatus
	}
	all, now := map[string]Report{}, c.Now()
	err := kube.ListDecoded(ctx, c, kube.ManifestWork, func(w *reported) {
		all[w.Metadata.Namespace] = read(w.Status.ResourceStatus.Manifests, now)
	}, client.MatchingFields{"metadata.name": WorkName})
	if err != nil {
		return nil, fmt.Errorf("list ManifestWorks %s: %w", WorkName, err)
	}
	return all, nil
}

// read takes the values of the ConfigMap that have the right form, and ignores all others.
func read(manifests []workv1.ManifestCondition, now time.Time) Report {
	values := map[string]string{}
	for i := range manifests {
		meta := manifests[i].ResourceMeta
		if meta.Group != "" || meta.Kind != "ConfigMap" || meta.Namespace != Namespace || meta.Name != ConfigMap {
			continue
		}
		for _, v := range manifests[i].StatusFeedbacks.Values {
			if v.Value.Type == workv1.String && v.Value.String != nil {
				values[v.Name] = *v.Value.String
			}
		}
	}
	free, known := number(values[keyFree])
	single, both := number(values[keySingle])
	at, err := time.Parse(time.RFC3339, values[keyAt])
	switch {
	case len(values) == 0:
		return Report{Why: "it has published none"}
	case !known || !both || err != nil:
		return Report{Why: "what it has published is no count"}
	case at.After(now.Add(maxClockSkew)):
		return Report{Why: "the time of its count is in the future"}
	case now.Sub(at) > ValidFor:
		return Report{Why: fmt.Sprintf("its count is %s old", now.Sub(at).Round(time.Minute))}
	}
	return Report{Count: &Count{Free: free, FreeSingleReplica: single, At: at}}
}

func number(text string) (int64, bool) {
	if !formNumber.MatchString(text) {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
