package update

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// requestCount holds the fields read of an APIRequestCount.
type requestCount struct {
	Metadata struct {
		// Name is RESOURCE.VERSION.GROUP.
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		// RemovedInRelease is the Kubernetes version that no longer serves the API, such as "1.34", or "".
		RemovedInRelease string `json:"removedInRelease"`
		// RequestCount is the number of requests in the last 24 hours.
		RequestCount int64     `json:"requestCount"`
		Last24h      []hourLog `json:"last24h"`
	} `json:"status"`
}

type hourLog struct {
	ByNode []struct {
		ByUser []struct {
			UserName     string `json:"username"`
			UserAgent    string `json:"userAgent"`
			RequestCount int64  `json:"requestCount"`
		} `json:"byUser"`
	} `json:"byNode"`
}

// maxCallers is the maximum number of callers in a message.
const maxCallers = 3

// judgeRequests reports APIs that the new Kubernetes no longer serves and that were requested in the last 24 hours.
func (w *snapshot) judgeRequests(r route) []step.Finding {
	const all = "APIRequestCounts"
	switch {
	case r.known && r.minors() == 0:
		return []step.Finding{step.OK("a patch removes no API").On("%s", all)}
	case kube.IsKindMissing(w.requests.Err):
		return []step.Finding{step.Unknown("the cluster does not count requests, so it is not known whether "+
			"APIs that are removed are in use").On("%s", all)}
	case w.requests.Err != nil:
		return []step.Finding{management.Unread(all, w.requests.Err)}
	case len(w.requests.Items) == 0:
		return []step.Finding{step.Unknown("there are none, so it is not known whether APIs that are removed "+
			"are in use").On("%s", all)}
	}
	last := kubernetesMinor(r.from) + 1
	if r.known {
		last = kubernetesMinor(r.to)
	}
	var out []step.Finding
	for i := range w.requests.Items {
		c := &w.requests.Items[i]
		removed, ok := kubernetesRelease(c.Status.RemovedInRelease)
		if c.Status.RemovedInRelease == "" || c.Status.RequestCount == 0 ||
			ok && (removed <= kubernetesMinor(r.from) || removed > last) {
			continue
		}
		object := "APIRequestCount " + c.Metadata.Name
		if !ok {
			out = append(out, step.Unknown("it is in use, and status.removedInRelease cannot be read: %q",
				c.Status.RemovedInRelease).On("%s", object))
			continue
		}
		out = append(out, step.Failing("Kubernetes 1.%d no longer serves it, and it was asked for %s in "+
			"the last 24 hours%s", removed, plural.Count(int(c.Status.RequestCount), "time"), callers(c.Status.Last24h)).
			On("%s", object).
			WithHint("update what asks for it; oc get apirequestcounts %s -o yaml has all of them", c.Metadata.Name))
	}
	if len(out) == 0 {
		return []step.Finding{step.OK("no API was asked for in the last 24 hours that Kubernetes 1.%d does "+
			"not serve", last).On("%s", all)}
	}
	return out
}

// kubernetesRelease parses a release such as "1.34".
func kubernetesRelease(s string) (minor int, ok bool) {
	text, ok := strings.CutPrefix(s, "1.")
	minor, err := strconv.Atoi(text)
	return minor, ok && err == nil
}

// callers describes the callers with the most requests.
func callers(hours []hourLog) string {
	counts := map[string]int64{}
	for _, h := range hours {
		for _, n := range h.ByNode {
			for _, u := range n.ByUser {
				counts[fmt.Sprintf("%s (%s)", u.UserName, u.UserAgent)] += u.RequestCount
			}
		}
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return int(counts[b] - counts[a])
		}
		return strings.Compare(a, b)
	})
	if len(names) == 0 {
		return ""
	}
	text := ", by " + strings.Join(names[:min(maxCallers, len(names))], ", ")
	if more := len(names) - maxCallers; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
