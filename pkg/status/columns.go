package status

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube"
)

// shown is what the columns of both kinds are made of, by its place in the object: of a HostedCluster that is a fifth,
// and nothing else of it is decoded. What is absent stays absent.
type shown struct {
	Metadata struct {
		Name              string `json:"name,omitempty"`
		Namespace         string `json:"namespace,omitempty"`
		CreationTimestamp string `json:"creationTimestamp,omitempty"`
	} `json:"metadata"`
	Spec struct {
		Arch               string       `json:"arch,omitempty"`
		AutoScaling        *shownBounds `json:"autoScaling,omitempty"`
		ClusterName        string       `json:"clusterName,omitempty"`
		AvailabilityPolicy string       `json:"controllerAvailabilityPolicy,omitempty"`
		Management         struct {
			UpgradeType string `json:"upgradeType,omitempty"`
		} `json:"management"`
		PausedUntil string `json:"pausedUntil,omitempty"`
		Platform    struct {
			KubeVirt *shownKubeVirt `json:"kubevirt,omitempty"`
		} `json:"platform"`
		Release struct {
			Image string `json:"image,omitempty"`
		} `json:"release"`
		Replicas *int64 `json:"replicas,omitempty"`
	} `json:"spec"`
	Status struct {
		Conditions           []shownCondition `json:"conditions,omitempty"`
		ControlPlaneEndpoint struct {
			Host string `json:"host,omitempty"`
			Port int64  `json:"port,omitempty"`
		} `json:"controlPlaneEndpoint"`
		ControlPlaneVersion shownVersion `json:"controlPlaneVersion"`
		KubeConfig          struct {
			Name string `json:"name,omitempty"`
		} `json:"kubeconfig"`
		Replicas *int64 `json:"replicas,omitempty"`
		// Version is a history in a HostedCluster, and text in a NodePool.
		Version any `json:"version,omitempty"`
	} `json:"status"`
}

// shownConditions are those with a column.
var shownConditions = []string{"Available", "Progressing", "AutoscalingEnabled", "AutorepairEnabled", "UpdatingVersion",
	"UpdatingConfig", "Ready"}

type shownBounds struct {
	Min *int64 `json:"min,omitempty"`
	Max *int64 `json:"max,omitempty"`
}

type shownCondition struct {
	Type    string `json:"type,omitempty"`
	Status  string `json:"status,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

type shownKubeVirt struct {
	Compute struct {
		Cores  *int64 `json:"cores,omitempty"`
		Memory string `json:"memory,omitempty"`
	} `json:"compute"`
	RootVolume struct {
		Persistent struct {
			Size string `json:"size,omitempty"`
		} `json:"persistent"`
	} `json:"rootVolume"`
}

type shownVersion struct {
	History []struct {
		State   string `json:"state,omitempty"`
		Version string `json:"version,omitempty"`
	} `json:"history,omitempty"`
}

// Rows lists what the query asks for as List does, and returns the cells of each object (Resource.Cells) instead of the
// objects: of a thousand, a tenth of the memory. Objects asked for by name are read whole.
func Rows(ctx context.Context, c *kube.Client, q Query,
	cells func(*unstructured.Unstructured) []string) ([][]string, error) {
	var rows [][]string
	if len(q.Names) > 0 {
		found, err := List(ctx, c, q)
		for i := range found {
			rows = append(rows, cells(&found[i]))
		}
		return rows, err
	}
	var failed error
	err := kube.ListDecoded(ctx, c, q.Resource.Kind, func(s *shown) {
		s.Status.Conditions = slices.DeleteFunc(s.Status.Conditions, func(c shownCondition) bool {
			return !slices.Contains(shownConditions, c.Type)
		})
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(s)
		if err != nil {
			failed = err
			return
		}
		if u := (&unstructured.Unstructured{Object: m}); q.keeps(u) {
			rows = append(rows, cells(u))
		}
	}, q.wants()...)
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, q.failed(err)
	}
	return rows, nil
}
