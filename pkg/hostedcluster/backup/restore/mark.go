package restore

import (
	"encoding/json"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

const (
	// MarkAnnotation is on a HostedCluster that is being restored. Its value is a mark as JSON.
	MarkAnnotation = hostedcluster.RestoreAnnotation
	// DataAnnotation is on the volume claim of member 0 once its data are restored. Its value is the ID of the mark.
	DataAnnotation = "hcctl.dev/restored"
)

// mark identifies a restore in progress, and has the state of the cluster before it.
type mark struct {
	// ID is the random ID of this restore.
	ID string `json:"id"`
	// Snapshot is the SHA-256 of the snapshot.
	Snapshot string `json:"snapshot"`
	// Created reports whether the restore created the HostedCluster.
	Created bool `json:"created,omitempty"`
	// PausedUntil is the HostedCluster's spec.pausedUntil before the restore.
	PausedUntil string `json:"pausedUntil,omitempty"`
	// Replicas has the replicas of the workloads before the restore, by name. It is nil until the cluster is paused.
	Replicas map[string]int32 `json:"replicas,omitempty"`
}

func (m mark) encode() string {
	data, err := json.Marshal(m)
	if err != nil {
		return "" // strings and numbers always encode
	}
	return string(data)
}

// maxReplicas limits the replicas that are accepted from a mark, because other clients may have written it.
const maxReplicas = 9

// markOf parses the mark of a HostedCluster; nil if there is none.
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
		if n < 0 || n > maxReplicas || !workloads[name] {
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
