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

// Resources are quantities by name: CPU in millicores, all others in bytes or items.
type Resources map[corev1.ResourceName]int64

// Of returns the quantities of a list.
func Of(list corev1.ResourceList) Resources {
	out := Resources{}
	for name, q := range list {
		out[name] = Number(name, q)
	}
	return out
}

// Number returns a quantity in the unit of Resources.
func Number(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// Add adds o, multiplied by times.
func (r Resources) Add(o Resources, times int64) {
	for name, n := range o {
		r[name] += n * times
	}
}

// Minus returns r less o; quantities may be negative.
func (r Resources) Minus(o Resources) Resources {
	out := maps.Clone(r)
	if out == nil {
		out = Resources{}
	}
	out.Add(o, -1)
	return out
}

// Part returns r divided by n, each quantity rounded up.
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

// Short returns the resources of which r has less than need, those of Kubernetes first.
func (r Resources) Short(need Resources) []corev1.ResourceName {
	var out []corev1.ResourceName
	for _, name := range need.Names() {
		if need[name] > 0 && r[name] < need[name] {
			out = append(out, name)
		}
	}
	return out
}

// Names returns the names in the order of messages: those of Kubernetes first.
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

// Amount formats a quantity for the user: "CPU 2.5", "memory 254Gi", "3 pods", "2 nvidia.com/A100".
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

// Describe formats a pod's requests for the user. It leaves out the count of pods, and KubeVirt's devices, which are
// unlimited.
func Describe(r Resources) string {
	var out []string
	for _, name := range r.Names() {
		if r[name] > 0 && name != corev1.ResourcePods && !strings.HasPrefix(string(name), virtDevices) {
			out = append(out, Amount(name, r[name]))
		}
	}
	return strings.Join(out, ", ")
}

// virtDevices is the name prefix of KubeVirt's devices.
const virtDevices = "devices.kubevirt.io/"

func gibibytes(bytes int64) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(bytes)/(1<<30), 'f', 1, 64), ".0") + "Gi"
}

// Requests returns the resources that the scheduler reserves for a pod, including one pod. It is the sum of the
// containers and sidecars, or the maximum of the init containers if that is larger, plus the runtime overhead.
// Pod-level requests (Kubernetes 1.32 and later) replace those of the containers.
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

// Allocatable returns the resources that a node offers to pods.
func Allocatable(n *corev1.Node) Resources { return Of(n.Status.Allocatable) }

// ControlPlane returns the requests of one hosted control plane, and the number of nodes for its replicas, because
// replicas of a component never share a node (support/controlplane-component, setMultizoneSpread). The numbers are the
// baselines of Red Hat's sizing guidance and of the hypershift addon's capacity metrics. A single replica takes a
// third: Red Hat says so for the pods only; for CPU and memory it is assumed.
func ControlPlane(highlyAvailable bool) (requests Resources, copies int64) {
	if highlyAvailable {
		return Resources{corev1.ResourceCPU: 5000, corev1.ResourceMemory: 18 << 30, corev1.ResourcePods: 75}, 3
	}
	return Resources{corev1.ResourceCPU: 1667, corev1.ResourceMemory: 6 << 30, corev1.ResourcePods: 25}, 1
}
