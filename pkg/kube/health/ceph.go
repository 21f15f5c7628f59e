package health

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The values of status.ceph.health of a CephCluster, copied from Ceph by rook-ceph-operator (4.12 to 5.1).
const (
	cephOK      = "HEALTH_OK"
	cephWarning = "HEALTH_WARN"
	cephError   = "HEALTH_ERR"
)

// cephFull has the keys of status.ceph.details (Ceph's health check codes) by which Ceph accepts no more writes.
var cephFull = []string{"OSD_FULL", "POOL_FULL"}

// cephFindings is the maximum number of health checks in a message.
const cephFindings = 12

// judgeCeph judges a CephCluster by Ceph's own health. HEALTH_ERR can be temporary, for example while file systems are
// created, so it is Trouble. A full Ceph is Broken, because a user has to free space.
func judgeCeph(u *unstructured.Unstructured, v Verdict, _ *facts) Verdict {
	v.Since, _ = time.Parse(time.RFC3339, kube.Text(u, "status", "ceph", "lastChanged"))
	v.Hint = hint.New("oc describe cephcluster %s -n %s", u.GetName(), u.GetNamespace())
	health := kube.Text(u, "status", "ceph", "health")
	details, _, _ := unstructured.NestedMap(u.Object, "status", "ceph", "details")
	codes := slices.Sorted(maps.Keys(details))
	words := health
	for i, code := range codes {
		detail, _ := details[code].(map[string]any)
		if message, _ := detail["message"].(string); message != "" {
			codes[i] += " (" + message + ")"
		}
	}
	if len(codes) > 0 {
		words += ": " + plural.Few(codes, cephFindings)
	}
	full := slices.ContainsFunc(cephFull, func(code string) bool { return details[code] != nil })
	switch {
	case full:
		return v.with(step.StateBroken, health, "Ceph is full and takes no more data (%s)", words)
	case health == cephError:
		return v.with(step.StateBroken, health, "Ceph says %s", words).inTrouble()
	case health == cephWarning:
		return v.with(step.StateWarning, health, "Ceph says %s", words)
	case health == cephOK:
		return v.with(step.StateOK, health, "Ceph is %s", words)
	}
	return v.with(step.StatePending, ReasonNotReported, "Ceph does not report its health (%q)", health)
}
