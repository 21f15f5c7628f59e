package storage

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Ceph's health as rook-ceph-operator (4.12 to 4.21) copies it to status.ceph.health of a CephCluster.
const (
	healthError   = "HEALTH_ERR"
	healthWarning = "HEALTH_WARN"
)

// fullCodes are the keys of status.ceph.details that mean that nothing can be written any more. They are Ceph's own.
var fullCodes = []string{"OSD_FULL", "POOL_FULL"}

// health adds what Ceph says of itself to the finding that a StorageCluster is Ready, which it stays when Ceph is ill.
// A user who may not read CephClusters gets the StorageCluster's conditions alone.
func (s storageCluster) health(ctx context.Context, r kube.Reader, sc *unstructured.Unstructured,
	ready step.Finding) step.Finding {
	list := kube.CephCluster.NewList()
	switch err := r.List(ctx, list); {
	case kube.IsKindMissing(err), apierrors.IsForbidden(err):
		return ready
	case err != nil:
		return kube.Unknown(err).On("CephClusters")
	}
	for i := range list.Items {
		if list.Items[i].GetNamespace() == sc.GetNamespace() {
			return judgeCeph(&list.Items[i], r.Now(), ready)
		}
	}
	return ready
}

// judgeCeph says whether Ceph is well. HEALTH_ERR can be of a moment, such as while file systems are made, but nobody
// except a person makes room on full disks.
func judgeCeph(ceph *unstructured.Unstructured, now time.Time, ready step.Finding) step.Finding {
	object := "CephCluster " + kube.Name(ceph)
	if f := prereq.Deleting(kube.CephCluster.Kind, ceph); f != nil {
		return *f
	}
	health := kube.Text(ceph, "status", "ceph", "health")
	codes := healthCodes(ceph)
	words := health
	if len(codes) > 0 {
		words += ": " + fewOf(codes)
	}
	hint := "oc describe cephcluster " + ceph.GetName() + " -n " + ceph.GetNamespace()
	since, _ := time.Parse(time.RFC3339, kube.Text(ceph, "status", "ceph", "lastChanged"))
	lasts := now.Sub(since)
	switch {
	case slices.ContainsFunc(codes, isFull):
		return step.Broken("Ceph is full and takes no more data (%s)", words).On("%s", object).
			WithHint("delete what is not needed, or add disks (hcctl bootstrap --grow-storage); %s", hint)
	case health == healthError && lasts >= errorGrace:
		return step.Broken("Ceph says %s", words).On("%s", object).WithHint("%s", hint)
	case health == healthError:
		return step.Pending("Ceph says %s", words).On("%s", object).WithHint("%s", hint).WithTrouble().
			RecheckAfter(errorGrace - lasts)
	case health == healthWarning:
		ready.Message += "; Ceph says " + words
	}
	return ready
}

// healthCodes are the names of what Ceph finds wrong, such as "OSD_NEARFULL (1 nearfull osd(s))".
func healthCodes(ceph *unstructured.Unstructured) []string {
	details, _, _ := unstructured.NestedMap(ceph.Object, "status", "ceph", "details")
	var out []string
	for _, code := range slices.Sorted(maps.Keys(details)) {
		message := ""
		if detail, ok := details[code].(map[string]any); ok {
			message, _ = detail["message"].(string)
		}
		out = append(out, strings.TrimSuffix(code+" ("+message+")", " ()"))
	}
	return out
}

func isFull(code string) bool {
	name, _, _ := strings.Cut(code, " ")
	return slices.Contains(fullCodes, name)
}
