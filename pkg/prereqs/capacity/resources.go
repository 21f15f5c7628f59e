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

// Resources is a quantity of what limits hosted clusters on nodes.
type Resources struct {
	// MilliCPU is in thousandths of a core, Memory in bytes.
	MilliCPU int64 `json:"milliCPU"`
	Memory   int64 `json:"memoryBytes"`
	Pods     int64 `json:"pods"`
}

// Plus is the sum of both.
func (r Resources) Plus(o Resources) Resources {
	return Resources{r.MilliCPU + o.MilliCPU, r.Memory + o.Memory, r.Pods + o.Pods}
}

// Minus is what is left of r, which may be less than nothing.
func (r Resources) Minus(o Resources) Resources {
	return Resources{r.MilliCPU - o.MilliCPU, r.Memory - o.Memory, r.Pods - o.Pods}
}

// Most has the greater of each.
func (r Resources) Most(o Resources) Resources {
	return Resources{max(r.MilliCPU, o.MilliCPU), max(r.Memory, o.Memory), max(r.Pods, o.Pods)}
}

// String is for a user: "CPU 5.0, memory 18Gi and 75 pods".
func (r Resources) String() string {
	return fmt.Sprintf("CPU %s, memory %s and %d pods", Cores(r.MilliCPU), Gibibytes(r.Memory), r.Pods)
}

// holds is how often o fits in r, by its scarcest resource, and which that is.
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

// Cores writes thousandths of a core as cores, such as "5.4".
func Cores(milli int64) string { return strconv.FormatFloat(float64(milli)/1000, 'f', 1, 64) }

// Gibibytes writes bytes as gibibytes, such as "34.6Gi".
func Gibibytes(bytes int64) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(bytes)/float64(GiB), 'f', 1, 64), ".0") + "Gi"
}

// Allocatable is what a node offers to pods.
func Allocatable(n *corev1.Node) Resources { return from(fit.Allocatable(n)) }

// Requests is what a pod makes the scheduler set aside.
func Requests(pod *corev1.Pod) Resources { return from(fit.Requests(&pod.Spec)) }

func from(r fit.Resources) Resources {
	return Resources{MilliCPU: r[corev1.ResourceCPU], Memory: r[corev1.ResourceMemory], Pods: r[corev1.ResourcePods]}
}
