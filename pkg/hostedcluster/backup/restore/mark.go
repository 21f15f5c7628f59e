package restore

import (
	"encoding/json"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

const (
	// MarkAnnotation is on a HostedCluster that is being restored. Its value is a mark, in JSON.
	MarkAnnotation = hostedcluster.RestoreAnnotation
	// DataAnnotation is on the claim of member 0 whose data are restored. Its value is the ID of the mark.
	DataAnnotation = "hcctl.dev/restored"
)

// mark says which restore is under way, and what was before it.
type mark struct {
	// ID is one of this restore alone.
	ID string `json:"id"`
	// Snapshot is the SHA-256 of the snapshot.
	Snapshot string `json:"snapshot"`
	// Created reports whether the restore created the HostedCluster.
	Created bool `json:"created,omitempty"`
	// PausedUntil is the HostedCluster's spec.pausedUntil from before.
	PausedUntil string `json:"pausedUntil,omitempty"`
	// Replicas are those of the workloads from before, by name. It is nil until the cluster is paused.
	Replicas map[string]int32 `json:"replicas,omitempty"`
}

func (m mark) encode() string {
	data, err := json.Marshal(m)
	if err != nil {
		return "" // strings and numbers always encode
	}
	return string(data)
}

// most is the largest number of replicas that is taken from a mark, which others may have written.
const most = 9

// markOf reads the mark of a HostedCluster; nil if there is none.
func markOf(hc *hyperv1.HostedCluster) (*mark, error) {
	text, ok := hc.Annotations[MarkAnnotation]
	if !ok {
		return nil, nil
	}
	m := &mark{}
	if err := json.Unmarshal([]byte(text), m); err != nil || m.ID == "" || m.Snapshot == "" {
		return nil, badMark(hc)
	}
	for name, n := range m.Replicas {
		if n < 0 || n > most || !workloads[name] {
			return nil, badMark(hc)
		}
	}
	return m, nil
}

func badMark(hc *hyperv1.HostedCluster) error {
	return failure.New(failure.Final, hint.New("if no restore is under way: oc annotate hostedcluster %s -n %s %s-, and "+
		"see that spec.pausedUntil is as you want it", hc.Name, hc.Namespace, MarkAnnotation),
		"HostedCluster %s: the annotation %s cannot be read, so it is not known how far the restore is",
		hc.Namespace+"/"+hc.Name, MarkAnnotation)
}
