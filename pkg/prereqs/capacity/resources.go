package capacity

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// GiB is the number of bytes in one gibibyte.
const GiB = int64(1) << 30

// Resources is a quantity of the resources that limit hosted clusters on nodes.
type Resources struct {
	// MilliCPU is in thousandths of a core. Memory is in bytes.
	MilliCPU int64 `json:"milliCPU"`
	Memory   int64 `json:"memoryBytes"`
	Pods     int64 `json:"pods"`
}

// Plus returns the sum.
func (r Resources) Plus(o Resources) Resources {
	return Resources{r.MilliCPU + o.MilliCPU, r.Memory + o.Memory, r.Pods + o.Pods}
}

// Minus returns the difference, which may be negative.
func (r Resources) Minus(o Resources) Resources {
	return Resources{r.MilliCPU - o.MilliCPU, r.Memory - o.Memory, r.Pods - o.Pods}
}

// Most returns the maximum of each resource.
func (r Resources) Most(o Resources) Resources {
	return Resources{max(r.MilliCPU, o.MilliCPU), max(r.Memory, o.Memory), max(r.Pods, o.Pods)}
}

// String formats the resources for messages: "CPU 5.0, memory 18Gi and 75 pods".
func (r Resources) String() string {
	return fmt.Sprintf("CPU %s, memory %s and %d pods", Cores(r.MilliCPU), Gibibytes(r.Memory), r.Pods)
}

// holds returns how often o fits in r, and the resource that limits it.
func (r Resources) holds(o Resources) (n int64, scarcest string) {
	n, scarcest = max(r.MilliCPU, 0)/o.MilliCPU, "CPU"
	if m := max(r.Memory, 0) / o.Memory; m < n {
		n, scarcest = m, "memory"
	}
	if m := max(r.Pods, 0) / o.Pods; m < n {
		n, scarcest = m, "pods"
	}
	return n, scarcest
}

// Cores formats thousandths of a core as cores, such as "5.4".
func Cores(milli int64) string { return strconv.FormatFloat(float64(milli)/1000, 'f', 1, 64) }

// Gibibytes formats bytes as gibibytes, such as "34.6Gi".
func Gibibytes(bytes int64) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(bytes)/float64(GiB), 'f', 1, 64), ".0") + "Gi"
}

// Allocatable returns a node's allocatable resources.
func Allocatable(n *corev1.Node) Resources { return from(fit.Allocatable(n)) }

// Requests returns what the scheduler reserves for a pod.
func Requests(pod *corev1.Pod) Resources { return from(fit.Requests(&pod.Spec)) }

func from(r fit.Resources) Resources {
	return Resources{MilliCPU: r[corev1.ResourceCPU], Memory: r[corev1.ResourceMemory], Pods: r[corev1.ResourcePods]}
}
