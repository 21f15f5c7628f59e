package status

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
)

type cell = func(*unstructured.Unstructured, time.Time) string

func name(u *unstructured.Unstructured, _ time.Time) string { return u.GetName() }

func age(u *unstructured.Unstructured, now time.Time) string {
	return ago(now, u.GetCreationTimestamp().Time)
}

// lifetime is when a hosted cluster with an expiry may be deleted. An invalid annotation never leads to deletion.
func lifetime(u *unstructured.Unstructured, _ time.Time) string {
	at, err := hostedcluster.Expires(u)
	switch {
	case err != nil:
		return "invalid"
	case at.IsZero():
		return ""
	}
	return at.Format(time.RFC3339)
}

func text(path ...string) cell {
	return func(u *unstructured.Unstructured, _ time.Time) string { return kube.Text(u, path...) }
}

// number is empty if the field does not exist, which is not the same as 0.
func number(path ...string) cell {
	return func(u *unstructured.Unstructured, _ time.Time) string {
		n, found, err := unstructured.NestedInt64(u.Object, path...)
		if !found || err != nil {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
}

func conditionStatus(conditionType string) cell {
	return func(u *unstructured.Unstructured, _ time.Time) string {
		return kube.FindCondition(kube.Conditions(u), conditionType).Status
	}
}

// conditionMessage is the message on one line and without elapsed times, whatever the operator wrote: otherwise each
// second would add a row to a watch.
func conditionMessage(conditionType string) cell {
	return func(u *unstructured.Unstructured, _ time.Time) string {
		return conditions.OneLine(kube.FindCondition(kube.Conditions(u), conditionType).Message)
	}
}

// completed is the newest version of a history that is Completed. Histories list the newest entry first.
func completed(path ...string) cell {
	return func(u *unstructured.Unstructured, _ time.Time) string {
		for _, h := range kube.Maps(u, path...) {
			if version, _ := h["version"].(string); h["state"] == "Completed" {
				return version
			}
		}
		return ""
	}
}

// latest is the state of the newest entry of a history: Partial or Completed.
func latest(path ...string) cell {
	return func(u *unstructured.Unstructured, _ time.Time) string {
		for _, h := range kube.Maps(u, path...) {
			if state, _ := h["state"].(string); state != "" {
				return state
			}
		}
		return ""
	}
}

// endpoint is the address of the API server, as host:port.
func endpoint(u *unstructured.Unstructured, _ time.Time) string {
	host := kube.Text(u, "status", "controlPlaneEndpoint", "host")
	if host == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", host, kube.Number(u, "status", "controlPlaneEndpoint", "port"))
}

// bounds are the limits of autoscaling, such as "2-5".
func bounds(u *unstructured.Unstructured, _ time.Time) string {
	if _, found, _ := unstructured.NestedMap(u.Object, "spec", "autoScaling"); !found {
		return ""
	}
	return fmt.Sprintf("%d-%d", kube.Number(u, "spec", "autoScaling", "min"), kube.Number(u, "spec", "autoScaling", "max"))
}
