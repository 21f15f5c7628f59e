package objects

import (
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
)

// Difference is a field of an existing object that is not as asked.
type Difference struct{ field, have, want string }

// Field is the path of the field.
func (d Difference) Field() string { return d.field }

// Want is the value that was asked for, "not set" for none.
func (d Difference) Want() string { return d.want }

func (d Difference) String() string {
	return fmt.Sprintf("%s is %s, asked for %s", d.field, d.have, d.want)
}

// Comparison is a field with both its values.
type Comparison struct{ Field, Have, Want string }

// Compare lists the fields whose values differ.
func Compare(fields ...Comparison) []Difference {
	var out []Difference
	for _, f := range fields {
		if f.Have != f.Want {
			out = append(out, Difference{f.Field, shown(f.Have), shown(f.Want)})
		}
	}
	return out
}

func shown(s string) string {
	if s == "" {
		return "not set"
	}
	return s
}

// Existing is the finding about an existing object: Broken where a field differs that cannot be changed any more.
func Existing(object string, fixed, changeable []Difference) step.Finding {
	if len(fixed) > 0 {
		return step.Broken(
			"exists already and differs in fields that cannot be changed: %s",
			Describe(fixed),
		).On(
			"%s",
			object,
		).
			WithHint(
				"choose another --name, or give the flags it was created with",
			)
	}
	if len(changeable) > 0 {
		return step.OK("exists; left as it is: %s", Describe(changeable)).On("%s", object)
	}
	return step.OK("exists").On("%s", object)
}

// Describe puts differences into one line.
func Describe(ds []Difference) string {
	parts := make([]string, 0, len(ds))
	for _, d := range ds {
		parts = append(parts, d.String())
	}
	return strings.Join(parts, "; ")
}

func clusterCIDRs(n hyperv1.ClusterNetworking) string {
	var cidrs []string
	for i := range n.ClusterNetwork {
		cidrs = append(cidrs, n.ClusterNetwork[i].CIDR.String())
	}
	return strings.Join(cidrs, ",")
}

func serviceCIDRs(n hyperv1.ClusterNetworking) string {
	var cidrs []string
	for i := range n.ServiceNetwork {
		cidrs = append(cidrs, n.ServiceNetwork[i].CIDR.String())
	}
	return strings.Join(cidrs, ",")
}

func machineCIDRs(n hyperv1.ClusterNetworking) string {
	var cidrs []string
	for i := range n.MachineNetwork {
		cidrs = append(cidrs, n.MachineNetwork[i].CIDR.String())
	}
	return strings.Join(cidrs, ",")
}

func etcdVolumeSize(e hyperv1.EtcdSpec) string {
	if e.Managed == nil || e.Managed.Storage.PersistentVolume == nil {
		return ""
	}
	return quantity(e.Managed.Storage.PersistentVolume.Size)
}

func etcdVolumeClass(e hyperv1.EtcdSpec) string {
	if e.Managed == nil || e.Managed.Storage.PersistentVolume == nil {
		return ""
	}
	return ptr.Deref(e.Managed.Storage.PersistentVolume.StorageClassName, "")
}

// shownServices is the services and how each is published, in a fixed order.
func shownServices(services []hyperv1.ServicePublishingStrategyMapping) string {
	parts := make([]string, 0, len(services))
	for _, s := range services {
		part := fmt.Sprintf("%s by %s", s.Service, s.Type)
		if name := options.HostnameOf(s); name != "" {
			part += " as " + name
		}
		if s.NodePort != nil {
			part += " at " + s.NodePort.Address
			if s.NodePort.Port != 0 {
				part += fmt.Sprintf(":%d", s.NodePort.Port)
			}
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func quantity(q *resource.Quantity) string {
	if q == nil {
		return ""
	}
	return resource.NewQuantity(q.Value(), resource.BinarySI).String()
}

func replicas(np *hyperv1.NodePool) string {
	switch {
	case np.Spec.Replicas != nil:
		return fmt.Sprint(*np.Spec.Replicas)
	case np.Spec.AutoScaling != nil:
		return fmt.Sprintf("autoscaled %d to %d", np.Spec.AutoScaling.Min, np.Spec.AutoScaling.Max)
	}
	return ""
}
