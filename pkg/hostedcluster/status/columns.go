package status

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// columnObject holds the fields that the columns of both kinds need. For a HostedCluster that is a fifth of the object;
// nothing else is decoded. Absent fields stay absent.
type columnObject struct {
	Metadata struct {
		Name              string `json:"name,omitempty"`
		Namespace         string `json:"namespace,omitempty"`
		CreationTimestamp string `json:"creationTimestamp,omitempty"`

		Labels      map[string]string `json:"labels,omitempty"`
		Annotations struct {
			Expires *string `json:"hcctl.dev/expires,omitempty"`
		} `json:"annotations"`
	} `json:"metadata"`
	Spec struct {
		Arch               string        `json:"arch,omitempty"`
		AutoScaling        *columnBounds `json:"autoScaling,omitempty"`
		ClusterName        string        `json:"clusterName,omitempty"`
		AvailabilityPolicy string        `json:"controllerAvailabilityPolicy,omitempty"`
		Management         struct {
			UpgradeType string `json:"upgradeType,omitempty"`
		} `json:"management"`
		PausedUntil string `json:"pausedUntil,omitempty"`
		Platform    struct {
			KubeVirt *columnKubeVirt `json:"kubevirt,omitempty"`
		} `json:"platform"`
		Release struct {
			Image string `json:"image,omitempty"`
		} `json:"release"`
		Replicas *int64 `json:"replicas,omitempty"`
	} `json:"spec"`
	Status struct {
		Conditions           []columnCondition `json:"conditions,omitempty"`
		ControlPlaneEndpoint struct {
			Host string `json:"host,omitempty"`
			Port int64  `json:"port,omitempty"`
		} `json:"controlPlaneEndpoint"`
		ControlPlaneVersion columnVersion `json:"controlPlaneVersion"`
		KubeConfig          struct {
			Name string `json:"name,omitempty"`
		} `json:"kubeconfig"`
		Replicas *int64 `json:"replicas,omitempty"`
		// Version is a history in a HostedCluster, and a string in a NodePool.
		Version any `json:"version,omitempty"`
	} `json:"status"`
	// Whole is the whole object, if the query requests it (wholeObject).
	Whole map[string]any `json:"-"`
}

// wholeObject is a columnObject that also keeps the whole object.
type wholeObject struct{ columnObject }

// UnmarshalJSON implements json.Unmarshaler.
func (k *wholeObject) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &k.columnObject); err != nil {
		return err
	}
	return utiljson.Unmarshal(data, &k.Whole)
}

// withoutWhole converts a page of wholeObjects into a page of columnObjects.
func withoutWhole(page *transport.TablePage[wholeObject]) *tablePage {
	out := &tablePage{IsTable: page.IsTable, Columns: page.Columns}
	for _, row := range page.Rows {
		shown := transport.TableRow[columnObject]{Cells: row.Cells}
		if row.Object != nil {
			shown.Object = &row.Object.columnObject
		}
		out.Rows = append(out.Rows, shown)
	}
	for _, item := range page.Items {
		out.Items = append(out.Items, &item.columnObject)
	}
	return out
}

// shownConditions are the conditions that have a column.
var shownConditions = []string{"Available", "Progressing", "AutoscalingEnabled", "AutorepairEnabled", "UpdatingVersion",
	"UpdatingConfig", "Ready"}

type columnBounds struct {
	Min *int64 `json:"min,omitempty"`
	Max *int64 `json:"max,omitempty"`
}

type columnCondition struct {
	Type    string `json:"type,omitempty"`
	Status  string `json:"status,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

type columnKubeVirt struct {
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

type columnVersion struct {
	History []struct {
		State   string `json:"state,omitempty"`
		Version string `json:"version,omitempty"`
	} `json:"history,omitempty"`
}

// unstructured returns an object with only the fields that the columns need.
func (s *columnObject) unstructured() (*unstructured.Unstructured, error) {
	s.Status.Conditions = slices.DeleteFunc(s.Status.Conditions, func(c columnCondition) bool {
		return !slices.Contains(shownConditions, c.Type)
	})
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(s)
	return &unstructured.Unstructured{Object: m}, err
}
