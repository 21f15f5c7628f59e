package fit

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hcctl/hcctl/internal/plural"
)

// Resources are quantities by name: CPU in thousandths of a core, all else in bytes or pieces.
type Resources map[corev1.ResourceName]int64

// Of returns the quantities of a list.
func Of(list corev1.ResourceList) Resources {
	out := Resources{}
	for name, q := range list {
		out[name] = Number(name, q)
	}
	return out
}

// Number is a quantity of a resource in the unit of Resources.
func Number(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// Add adds the other quantities, so many times.
func (r Resources) Add(o Resources, times int64) {
	for name, n := range o {
		r[name] += n * times
	}
}

// Minus is what is left of r, which may be less than nothing.
func (r Resources) Minus(o Resources) Resources {
	out := maps.Clone(r)
	if out == nil {
		out = Resources{}
	}
	out.Add(o, -1)
	return out
}

// Part is one of so many equal parts; of a piece there is no part.
func (r Resources) Part(n int64) Resources {
	out := Resources{}
	for name, all := range r {
		out[name] = (all + n - 1) / n
	}
	return out
}

// raise raises each quantity to that of o.
func (r Resources) raise(o Resources) {
	for name, n := range o {
		r[name] = max(r[name], n)
	}
}

// Short returns what of need there is too little of, the names of Kubernetes first.
func (r Resources) Short(need Resources) []corev1.ResourceName {
	var out []corev1.ResourceName
	for _, name := range need.Names() {
		if need[name] > 0 && r[name] < need[name] {
			out = append(out, name)
		}
	}
	return out
}

// Names are the names in the order of messages: those of Kubernetes first.
func (r Resources) Names() []corev1.ResourceName {
	usual := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods}
	rank := func(n corev1.ResourceName) int {
		if i := slices.Index(usual, n); i >= 0 {
			return i
		}
		return len(usual)
	}
	return slices.SortedFunc(maps.Keys(r), func(a, b corev1.ResourceName) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(string(a), string(b))
	})
}

// Amount writes a quantity for a user: "CPU 2.5", "memory 254Gi", "3 pods", "2 nvidia.com/A100".
func Amount(name corev1.ResourceName, n int64) string {
	switch {
	case name == corev1.ResourceCPU:
		return "CPU " + Bare(name, n)
	case name == corev1.ResourceMemory:
		return "memory " + Bare(name, n)
	case name == corev1.ResourcePods:
		return plural.Count(int(n), "pod")
	case strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix):
		return Bare(name, n) + " of " + string(name)
	}
	return Bare(name, n) + " " + string(name)
}

// Bare is Amount without the name: "2.5", "254Gi", "3".
func Bare(name corev1.ResourceName, n int64) string {
	switch {
	case name == corev1.ResourceCPU:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64)
	case name == corev1.ResourceMemory, name == corev1.ResourceStorage,
		strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix),
		strings.HasSuffix(string(name), "/requests.storage"): // of one StorageClass
		return gibibytes(n)
	}
	return strconv.FormatInt(n, 10)
}

// Describe writes what a pod requests for a user, but that it is one pod, and KubeVirt's own devices, which it has
// without end.
func Describe(r Resources) string {
	var out []string
	for _, name := range r.Names() {
		if r[name] > 0 && name != corev1.ResourcePods && !strings.HasPrefix(string(name), virtDevices) {
			out = append(out, Amount(name, r[name]))
		}
	}
	return strings.Join(out, ", ")
}

// virtDevices begin the names of KubeVirt's own devices.
const virtDevices = "devices.kubevirt.io/"

func gibibytes(bytes int64) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(bytes)/(1<<30), 'f', 1, 64), ".0") + "Gi"
}

// Requests is what a pod makes the scheduler set aside, itself included. It is the sum of its containers and of the
// init containers that keep running, or what the largest other init container needs if that is more, and the overhead
// of its runtime. Requests of the pod itself (Kubernetes 1.32 and later) replace those of its containers.
func Requests(spec *corev1.PodSpec) Resources {
	running, peak := Resources{}, Resources{}
	for _, c := range spec.InitContainers {
		own := Of(c.Resources.Requests)
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			running.Add(own, 1)
			own = Resources{}
		}
		own.Add(running, 1)
		peak.raise(own)
	}
	for _, c := range spec.Containers {
		running.Add(Of(c.Resources.Requests), 1)
	}
	running.raise(peak)
	if spec.Resources != nil {
		maps.Copy(running, Of(spec.Resources.Requests))
	}
	running.Add(Of(spec.Overhead), 1)
	running[corev1.ResourcePods] = 1
	return running
}

// Allocatable is what a node offers to pods.
func Allocatable(n *corev1.Node) Resources { return Of(n.Status.Allocatable) }

// ControlPlane is what one control plane of a hosted cluster requests, and on how many nodes its copies run, no two of
// a kind on one (support/controlplane-component, setMultizoneSpread): the baselines of Red Hat's sizing guidance and of
// the hypershift addon's own capacity metrics. One of a single replica takes a third. Assumed: Red Hat gives the third
// for the pods only, and a control plane with a third of the pods takes about a third of the rest.
func ControlPlane(highlyAvailable bool) (requests Resources, copies int64) {
	if highlyAvailable {
		return Resources{corev1.ResourceCPU: 5000, corev1.ResourceMemory: 18 << 30, corev1.ResourcePods: 75}, 3
	}
	return Resources{corev1.ResourceCPU: 1667, corev1.ResourceMemory: 6 << 30, corev1.ResourcePods: 25}, 1
}
