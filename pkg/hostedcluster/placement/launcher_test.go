package placement

import (
	"errors"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// pool is a NodePool of VMs.
func pool(memory string, cores uint32, edits ...func(*hyperv1.NodePool)) *hyperv1.NodePool {
	np := &hyperv1.NodePool{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "a"}}
	np.Spec.Arch = "amd64"
	np.Spec.Platform = hyperv1.NodePoolPlatform{Type: hyperv1.KubevirtPlatform, Kubevirt: &hyperv1.KubevirtNodePoolPlatform{
		Compute: &hyperv1.KubevirtCompute{Memory: ptr.To(resource.MustParse(memory)), Cores: ptr.To(cores)}}}
	for _, edit := range edits {
		edit(np)
	}
	return np
}

func patch(text string) func(*hyperv1.NodePool) {
	return func(np *hyperv1.NodePool) {
		np.Annotations = map[string]string{hyperv1.JSONPatchAnnotation: text}
	}
}

func guaranteed(np *hyperv1.NodePool) {
	np.Spec.Platform.Kubevirt.Compute.QosClass = ptr.To(hyperv1.QoSClassGuaranteed)
}

func selecting(key, value string) func(*hyperv1.NodePool) {
	return func(np *hyperv1.NodePool) {
		np.Spec.Platform.Kubevirt.NodeSelector = map[string]string{key: value}
	}
}

func device(name string, count int) func(*hyperv1.NodePool) {
	return func(np *hyperv1.NodePool) {
		np.Spec.Platform.Kubevirt.KubevirtHostDevices = []hyperv1.KubevirtHostDevice{{DeviceName: name, Count: count}}
	}
}

// hco is a HyperConverged with this spec.
func hco(t *testing.T, spec string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte("{kind: HyperConverged, spec: " + spec + "}"))
	u := &unstructured.Unstructured{}
	if err = errors.Join(err, u.UnmarshalJSON(data)); err != nil {
		t.Fatal(err)
	}
	return u
}

// TestLauncherRequests holds what is counted against what virt-controller of KubeVirt 1.5 renders for the same VM.
func TestLauncherRequests(t *testing.T) {
	const mi = int64(1) << 20
	for name, tc := range map[string]struct {
		np                *hyperv1.NodePool
		hco               string
		cpu, memory, huge int64
	}{
		// 220Mi of processes, 8Mi for each core and one for I/O, 32Mi of video memory, and a 512th for page tables.
		"burstable": {pool("8Gi", 2), "{}", 200, (8192 + 16 + 220 + 24 + 32) * mi, 0},
		"another ratio": {pool("8Gi", 2), "{resourceRequirements: {vmiCPUAllocationRatio: 2}}", 1000,
			(8192 + 16 + 220 + 24 + 32) * mi, 0},
		"of v1": {pool("8Gi", 2), "{virtualization: {vmiCPUAllocationRatio: 1}}", 2000, (8192 + 16 + 220 + 24 + 32) * mi, 0},
		"memory is overcommitted": {pool("8Gi", 2), "{higherWorkloadDensity: {memoryOvercommitPercentage: 200}}", 200,
			(4096 + 8 + 220 + 24 + 32) * mi, 0},
		"guaranteed":  {pool("8Gi", 2, guaranteed), "{}", 2000, (8192 + 16 + 220 + 24 + 32 + 100) * mi, 0},
		"with device": {pool("8Gi", 2, device("x.com/gpu", 1)), "{}", 200, (8192 + 16 + 220 + 24 + 32 + 1024) * mi, 0},
		"huge pages": {pool("8Gi", 2, patch(`[{"op":"add","path":"/spec/template/spec/domain/memory/hugepages",`+
			`"value":{"pageSize":"1Gi"}}]`)), "{}", 200, (16 + 220 + 24 + 32) * mi, 8192 * mi},
		"dedicated": {pool("8Gi", 4, guaranteed, patch(`[{"op":"add",`+
			`"path":"/spec/template/spec/domain/cpu/dedicatedCpuPlacement","value":true}]`)), "{}", 4000,
			(8192 + 16 + 220 + 40 + 32 + 100) * mi, 0},
	} {
		l, err := LauncherOf(tc.np, "", HypervisorOf(hco(t, tc.hco)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := l.Requests
		if r[corev1.ResourceCPU] != tc.cpu || r[corev1.ResourceMemory] != tc.memory || r["hugepages-1Gi"] != tc.huge ||
			r[corev1.ResourcePods] != 1 {
			t.Errorf("%s: %v, want CPU %d, memory %d, huge pages %d", name, r, tc.cpu, tc.memory, tc.huge)
		}
	}
}

// worker is a node of 16 cores and 64Gi that takes VMs.
func worker(name string, edits ...func(*corev1.Node)) fit.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name, corev1.LabelArchStable: "amd64", "kubevirt.io/schedulable": "true"}}}
	n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("16"), "memory": resource.MustParse("64Gi"),
		"pods": resource.MustParse("250")}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	for _, edit := range edits {
		edit(n)
	}
	return fit.Node{Node: n, Free: fit.Allocatable(n)}
}

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }

func down(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }

func tainted(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffectNoSchedule})
	}
}

func labelled(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

func offering(name corev1.ResourceName, amount string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Status.Allocatable[name] = resource.MustParse(amount) }
}

// TestAlone has one VM and nodes that do not take it: each thing that a scheduler looks at.
func TestAlone(t *testing.T) {
	three := []fit.Node{worker("n1"), worker("n2"), worker("n3")}
	master := worker("m1", tainted("node-role.kubernetes.io/master", ""))
	cpu := func(value string) func(*hyperv1.NodePool) {
		return patch(`[{"op":"add","path":"/spec/template/spec/domain/cpu/` + value + `}]`)
	}
	pinned := cpu(`dedicatedCpuPlacement","value":true`)
	for name, tc := range map[string]struct {
		nodes      []fit.Node
		np         *hyperv1.NodePool
		hco        string
		want, next string
	}{
		"fits":                             {append(three, master), pool("8Gi", 2), "{}", "", ""},
		"a label":                          {three, pool("8Gi", 2, selecting("gpu", "yes")), "{}", "no node may run the worker VMs of pool a: 3 of 3 workers lack label gpu=yes", "oc label node NAME gpu=yes"},
		"no KVM":                           {[]fit.Node{worker("n1", labelled("kubevirt.io/schedulable", "false"))}, pool("8Gi", 2), "{}", "1 of 1 worker lacks label kubevirt.io/schedulable=true", ""},
		"cordoned":                         {[]fit.Node{worker("n1", cordoned), worker("n2", cordoned), worker("n3", tainted("storage", "odf")), master}, pool("8Gi", 2), "{}", "no node may run the worker VMs of pool a: 2 of 3 workers are cordoned, 1 has taint storage=odf:NoSchedule", "oc adm uncordon n1 n2"},
		"not ready":                        {[]fit.Node{worker("n1", down)}, pool("8Gi", 2), "{}", "1 of 1 worker is not ready", ""},
		"tolerated":                        {[]fit.Node{worker("n1", tainted("storage", "odf"))}, pool("8Gi", 2, patch(`[{"op":"add","path":"/spec/template/spec/tolerations","value":[{"key":"storage","operator":"Exists"}]}]`)), "{}", "", ""},
		"affinity":                         {three, pool("8Gi", 2, patch(`[{"op":"add","path":"/spec/template/spec/affinity","value":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"rack","operator":"In","values":["r1"]}]}]}}}}]`)), "{}", "3 of 3 workers lack labels: those of the node affinity", "oc get nodes --show-labels"},
		"a spread by an unknown label":     {three, pool("8Gi", 2, patch(`[{"op":"add","path":"/spec/template/spec/topologySpreadConstraints","value":[{"maxSkew":1,"topologyKey":"rack","whenUnsatisfiable":"DoNotSchedule"}]}]`)), "{}", "3 of 3 workers lack labels: rack", "oc get nodes --show-labels"},
		"a wish for an unknown label":      {three, pool("8Gi", 2, patch(`[{"op":"add","path":"/spec/template/spec/topologySpreadConstraints","value":[{"maxSkew":1,"topologyKey":"rack","whenUnsatisfiable":"ScheduleAnyway"}]}]`)), "{}", "", ""},
		"beside pods by an unknown label":  {three, pool("8Gi", 2, patch(`[{"op":"add","path":"/spec/template/spec/affinity","value":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"rack","labelSelector":{}}]}}}]`)), "{}", "3 of 3 workers lack labels: rack", "oc get nodes --show-labels"},
		"architecture":                     {three, pool("8Gi", 2, func(np *hyperv1.NodePool) { np.Spec.Arch = "s390x" }), "{}", "lack label kubernetes.io/arch=s390x", ""},
		"memory":                           {three, pool("300Gi", 2), "{}", "a VM of pool a needs memory 300.9Gi with KubeVirt's overhead: the largest worker has 64Gi free of 64Gi in all", "oc adm top nodes"},
		"the overhead":                     {three, pool("64Gi", 2), "{}", "needs memory 64.4Gi", ""},
		"CPU":                              {three, pool("8Gi", 17, guaranteed), "{}", "a VM of pool a needs CPU 17.0: the largest worker has 16.0 free of 16.0 in all", ""},
		"overcommitted CPU":                {three, pool("8Gi", 160), "{}", "", ""},
		"CPU by its ratio":                 {three, pool("8Gi", 17), "{resourceRequirements: {vmiCPUAllocationRatio: 1}}", "needs CPU 17.0", ""},
		"no device":                        {three, pool("8Gi", 2, device("nvidia.com/A100", 1)), "{}", "no node offers nvidia.com/A100, and HyperConverged permits no such device", "permittedHostDevices"},
		"permitted, and absent":            {three, pool("8Gi", 2, device("nvidia.com/A100", 1)), "{permittedHostDevices: {pciHostDevices: [{resourceName: nvidia.com/A100}]}}", "no node offers nvidia.com/A100", ""},
		"there, and nothing is restricted": {[]fit.Node{worker("n1", offering("nvidia.com/A100", "2"))}, pool("8Gi", 2, device("nvidia.com/A100", 1)), "{}", "", ""},
		"there, and not permitted":         {[]fit.Node{worker("n1", offering("nvidia.com/A100", "2"))}, pool("8Gi", 2, device("nvidia.com/A100", 1)), "{permittedHostDevices: {pciHostDevices: [{resourceName: x.com/y}]}}", "HyperConverged permits no device nvidia.com/A100", ""},
		"there, and switched off":          {[]fit.Node{worker("n1", offering("nvidia.com/A100", "2"))}, pool("8Gi", 2, device("nvidia.com/A100", 1)), "{permittedHostDevices: {pciHostDevices: [{resourceName: nvidia.com/A100, disabled: true}]}}", "HyperConverged permits no device nvidia.com/A100", ""},
		"too few":                          {[]fit.Node{worker("n1", offering("nvidia.com/A100", "2"))}, pool("8Gi", 2, device("nvidia.com/A100", 4)), "{permittedHostDevices: {mediatedDevices: [{resourceName: nvidia.com/A100}]}}", "a VM of pool a needs 4 nvidia.com/A100: the largest worker has 2 free of 2 in all", ""},
		"enough of v1":                     {[]fit.Node{worker("n1", offering("nvidia.com/A100", "2"))}, pool("8Gi", 2, device("nvidia.com/A100", 2)), "{virtualization: {permittedHostDevices: {usbHostDevices: [{resourceName: nvidia.com/A100}]}}}", "", ""},
		"a GPU by patch":                   {three, pool("8Gi", 2, patch(`[{"op":"add","path":"/spec/template/spec/domain/devices/gpus","value":[{"name":"g","deviceName":"nvidia.com/A100"}]}]`)), "{}", "no node offers nvidia.com/A100", ""},
		"huge pages":                       {three, pool("8Gi", 2, patch(`[{"op":"add","path":"/spec/template/spec/domain/memory/hugepages","value":{"pageSize":"1Gi"}}]`)), "{}", "no worker offers hugepages-1Gi, and a VM of pool a needs 8Gi of hugepages-1Gi", ""},
		"enough huge pages":                {[]fit.Node{worker("n1", offering("hugepages-1Gi", "16Gi"))}, pool("8Gi", 2, patch(`[{"op":"add","path":"/spec/template/spec/domain/memory/hugepages","value":{"pageSize":"1Gi"}}]`)), "{}", "", ""},
		"no CPU manager":                   {three, pool("8Gi", 2, guaranteed, pinned), "{}", "3 of 3 workers lack label cpumanager=true", "cpuManagerPolicy static; oc get nodes -L cpumanager"},
		"a CPU manager":                    {[]fit.Node{worker("n1", labelled("cpumanager", "true"))}, pool("8Gi", 2, guaranteed, pinned), "{}", "", ""},
		"a newer one's":                    {[]fit.Node{worker("n1", labelled("kubevirt.io/cpumanager", "true"))}, pool("8Gi", 2, guaranteed, pinned), "{}", "", ""},
		"NUMA":                             {three, pool("8Gi", 2, cpu(`numa","value":{"guestMappingPassthrough":{}}`)), "{}", "guestMappingPassthrough needs dedicatedCpuPlacement and memory.hugepages", ""},
		"a CPU model":                      {three, pool("8Gi", 2, cpu(`model","value":"Icelake-Server"`)), "{}", "lack label cpu-model.node.kubevirt.io/Icelake-Server=true", ""},
		"the default model":                {three, pool("8Gi", 2), "{defaultCPUModel: Icelake-Server}", "lack label cpu-model.node.kubevirt.io/Icelake-Server=true", ""},
		"of the host":                      {three, pool("8Gi", 2, cpu(`model","value":"host-model"`)), "{defaultCPUModel: Icelake-Server}", "", ""},
		"a CPU feature":                    {three, pool("8Gi", 2, cpu(`features","value":[{"name":"amx-tile"},{"name":"svm","policy":"disable"}]`)), "{}", "lack label cpu-feature.node.kubevirt.io/amx-tile=true", ""},
		"pods":                             {[]fit.Node{{Node: three[0].Node, Free: three[0].Free.Minus(fit.Resources{"pods": 250})}}, pool("8Gi", 2), "{}", "a VM of pool a needs 1 pod: the largest worker has nothing free (n1)", ""},
		"one has memory, the other CPU": {[]fit.Node{{Node: three[0].Node, Free: three[0].Free.Minus(fit.Resources{"cpu": 16000})},
			{Node: three[1].Node, Free: three[1].Free.Minus(fit.Resources{"memory": 60 << 30})}}, pool("8Gi", 2), "{}", "no worker has all that a VM of pool a needs at once: CPU 0.2, memory 8.3Gi", ""},
	} {
		h := HypervisorOf(hco(t, tc.hco))
		l, err := LauncherOf(tc.np, "", h)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := Alone(tc.nodes, l, "a", h)
		if tc.want == "" && c.Impossible != "" || !strings.Contains(c.Impossible, tc.want) ||
			!strings.Contains(c.Next.String(), tc.next) {
			t.Errorf("%s: %q, next %q\nwant %q, next %q", name, c.Impossible, c.Next, tc.want, tc.next)
		}
		if c.Impossible != "" && c.Next.IsZero() {
			t.Errorf("%s: nothing to do", name)
		}
	}
}

// TestThePatchOfTheClusterComesFirst has the HostedCluster's patch applied before that of the pool.
func TestThePatchOfTheClusterComesFirst(t *testing.T) {
	set := func(memory string) string {
		return `[{"op":"add","path":"/spec/template/spec/domain/memory/guest","value":"` + memory + `"}]`
	}
	l, err := LauncherOf(pool("8Gi", 2, patch(set("16Gi"))), set("32Gi"), HypervisorOf(nil))
	if err != nil || l.Requests[corev1.ResourceMemory]>>30 != 16 {
		t.Errorf("%v, %v", l.Requests, err)
	}
	for _, wrong := range []string{"x", `[{"op":"remove","path":"/spec/nothing"}]`,
		`[{"op":"add","path":"/spec/template/spec/domain/memory/guest","value":{}}]`} {
		if l, err := LauncherOf(pool("8Gi", 2, patch(wrong)), "", HypervisorOf(nil)); err == nil {
			t.Errorf("%s: %v", wrong, l)
		}
	}
}
