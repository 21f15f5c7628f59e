package virtualization

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// with makes the prerequisites for options.
func with(o Options) []prereq.Prerequisite {
	return Prerequisites(o, olm.Pins{})
}

func run(t *testing.T, cases map[string]prereqtest.Case) {
	t.Helper()
	prereqtest.Run(t, with(Options{}), cases)
}

const (
	hyperConvergedResource = "hyperconvergeds.hco.kubevirt.io"
	subscriptions          = "subscriptions.operators.coreos.com"
	catalogs               = "catalogsources.operators.coreos.com"
	crds                   = "customresourcedefinitions.apiextensions.k8s.io"
	image                  = "quay.io/kubevirt/hyperconverged-cluster-index:1.16.0"
)

// hyper is a HyperConverged of hcctl's own, with a status of Available.
func hyper(version, available string) string {
	return fmt.Sprintf(`
---
{apiVersion: hco.kubevirt.io/%s, kind: HyperConverged, metadata: {name: kubevirt-hyperconverged,
    namespace: openshift-cnv, labels: {app.kubernetes.io/managed-by: hcctl}},
  status: {versions: [{name: operator, version: 4.20.1}], conditions: [{type: ReconcileComplete, status: "True"},
    {type: Available, status: %q}, {type: Progressing, status: "False"}, {type: Degraded, status: "False"}]}}
`, version, available)
}

func installed() string {
	return prereqtest.Installed("kubevirt-hyperconverged", "openshift-cnv", "kubevirt-hyperconverged-operator.v4.20.1")
}

func catalog(image string) string {
	return fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: hcctl-kubevirt-hyperconverged,
    namespace: openshift-marketplace, labels: {app.kubernetes.io/managed-by: hcctl}}, spec: {image: %q},
  status: {connectionState: {lastObservedState: READY, lastConnect: "2026-01-01T00:00:00Z"}}}
`, image)
}

func TestOperator(t *testing.T) {
	offered := prereqtest.ClusterVersion("4.20.3") + prereqtest.Offered("kubevirt-hyperconverged", "openshift-cnv",
		"stable", "kubevirt-hyperconverged-operator.v4.20.1")
	byImage := with(Options{Source: image})
	version := prereqtest.ClusterVersion("4.20.3")
	const patchCatalog = "patch " + catalogs + " openshift-marketplace/hcctl-kubevirt-hyperconverged"
	run(t, map[string]prereqtest.Case{
		"bare": {Objects: []string{offered}, ID: Operator, State: step.StateMissing,
			Says: []string{"OpenShift Virtualization is not installed"}},
		"installed": {Objects: []string{installed()}, ID: Operator, State: step.StateOK, Says: []string{"v4.20.1"}},
		"by other means, and gone": {Objects: []string{offered, hyper("v1beta1", "True")}, ID: Operator, State: step.StateMissing,
			Says: []string{"HyperConverged openshift-cnv/kubevirt-hyperconverged is there, and its operator is not"}},
		"by other means": {Objects: []string{offered, prereqtest.Deployment("hco-operator"), hyper("v1beta1", "True")}, ID: Operator, State: step.StateOK,
			Says: []string{"installed by other means than a Subscription: Available, version 4.20.1"}},
		"by other means, a newer version": {Objects: []string{offered, prereqtest.Deployment("hyperconverged-cluster-operator"), hyper("v1", "True")}, ID: Operator,
			State: step.StateOK, Says: []string{"installed by other means"}},
		"by other means, not well": {Objects: []string{offered, hyper("v1beta1", "False")}, ID: Operator,
			State: step.StateMissing, Says: []string{"is not installed"}},
		"without OLM": {Refused: map[string]int{subscriptions: 404}, ID: Operator, State: step.StateBroken,
			Says: []string{"no Operator Lifecycle Manager", "hcctl bootstrap --virtualization-manifests DIR"}},
		"no permission": {Refused: prereqtest.Forbidden(subscriptions), ID: Operator,
			Says: []string{"Subscriptions", "not allowed"}},
		"server fails": {Refused: map[string]int{subscriptions: 500}, ID: Operator, Says: []string{"Subscriptions"}},
		"install": {Objects: []string{offered}, ID: Operator, Change: step.Created,
			Writes: []string{"create namespaces", "create operatorgroups.operators.coreos.com openshift-cnv/",
				"create subscriptions.operators.coreos.com openshift-cnv/"}},
		"install: Subscriptions not to be read": {Refused: prereqtest.Forbidden(subscriptions), ID: Operator,
			Fails: "Forbidden"},

		"an image": {Objects: []string{version}, Of: byImage, ID: Operator, State: step.StateMissing,
			Says: []string{"the catalog of image " + image + " does not exist"}},
		"an image, another is there": {Objects: []string{version, catalog("quay.io/x/y:1")}, Of: byImage, ID: Operator,
			State: step.StateMissing, Says: []string{"its image is quay.io/x/y:1"}},
		"an image, its catalog is there": {Objects: []string{version, catalog(image)}, Of: byImage, ID: Operator,
			State: step.StateBroken, Says: []string{"community-kubevirt-hyperconverged"}},
		"an image, subscribed to": {Objects: []string{version, prereqtest.Subscription(
			"community-kubevirt-hyperconverged", "kubevirt-hyperconverged", "")}, Of: byImage, ID: Operator,
			State: step.StatePending, Says: []string{"Subscription kubevirt-hyperconverged/community-kubevirt-hyperconverged"}},
		"an image, without OLM": {Of: byImage, Refused: map[string]int{subscriptions: 404}, ID: Operator,
			State: step.StateBroken, Says: []string{"no Operator Lifecycle Manager"}},
		"an image, its catalog not to be read": {Objects: []string{version}, Of: byImage,
			Refused: prereqtest.Forbidden("get " + catalogs), ID: Operator,
			Says: []string{"CatalogSource openshift-marketplace/hcctl"}},
		"an image: write its catalog first": {Objects: []string{version}, Of: byImage, ID: Operator, Change: step.Created,
			Writes: []string{patchCatalog}, Sends: []string{`"image":"` + image + `"`, `"sourceType":"grpc"`}},
		"an image: then install": {Objects: []string{version, catalog(image)}, Of: byImage, ID: Operator,
			Fails: "no catalog offers it"},
		"an image: subscribed to already": {Objects: []string{version, prereqtest.Subscription(
			"community-kubevirt-hyperconverged", "kubevirt-hyperconverged", "")}, Of: byImage, ID: Operator,
			Change: step.Unchanged},
	})
}

// cdi is a Deployment of CDI without ready pods.
var cdi = "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: cdi-deployment, namespace: openshift-cnv, " +
	"generation: 1}, status: " + healthtest.RolledOut(1, 1, 0) + "}\n"

// cdiPod is its pod, whose container waits.
func cdiPod(reason string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Pod, metadata: {name: cdi-deployment-5f7-x, namespace: openshift-cnv, labels: {pod-template-hash: 5f7},
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: cdi-deployment-5f7, uid: u}]},
  status: {phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: %s}}}]}}
`, reason)
}

func TestHyperConverged(t *testing.T) {
	const resource = "patch " + hyperConvergedResource + " openshift-cnv/kubevirt-hyperconverged"
	storesV1 := `
---
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: hyperconvergeds.hco.kubevirt.io},
  spec: {versions: [{name: v1beta1, served: true}, {name: v1, served: true, storage: true}]}}
`
	run(t, map[string]prereqtest.Case{
		"none": {ID: prereq.HyperConverged, State: step.StateMissing, Says: []string{"KubeVirt is not deployed"}},
		"available": {Objects: []string{hyper("v1beta1", "True")}, ID: prereq.HyperConverged, State: step.StateOK,
			Says: []string{"Available, version 4.20.1"}},
		"in the newer version alone": {Objects: []string{hyper("v1", "True")}, ID: prereq.HyperConverged,
			State: step.StateOK},
		"for a hosted cluster": {Objects: []string{hyper("v1beta1", "False")}, ID: prereq.HyperConverged,
			Wanted: &prereq.Wanted{}, State: step.StatePending, Says: []string{"Available False"}},
		"degraded, for a pod crashes": {Objects: []string{strings.Replace(hyper("v1beta1", "False"), `type: Degraded, status: "False"`,
			`type: Degraded, status: "True", reason: CDIDegraded`, 1), cdi, cdiPod("CrashLoopBackOff")}, ID: prereq.HyperConverged,
			State: step.StatePending, Trouble: true, Says: []string{"Pod openshift-cnv/cdi-deployment-5f7-x: container c: CrashLoopBackOff; so " +
				"HyperConverged openshift-cnv/kubevirt-hyperconverged: Degraded True (CDIDegraded)", "oc describe pod"}},
		"a pod is stuck while it is installed": {Objects: []string{hyper("v1beta1", "False"), cdi, cdiPod("ErrImagePull")},
			ID: prereq.HyperConverged, State: step.StatePending, Trouble: true,
			Says: []string{"container c: ErrImagePull; so HyperConverged"}},
		"a pod starts while it is installed": {Objects: []string{hyper("v1beta1", "False"), cdi, cdiPod("ContainerCreating")},
			ID: prereq.HyperConverged, State: step.StatePending,
			Says: []string{"HyperConverged openshift-cnv/kubevirt-hyperconverged: Available False"}},
		"a pod starts, and has for long": {Objects: []string{strings.Replace(hyper("v1beta1", "False"), `type: Progressing, status: "False"`,
			`type: Progressing, status: "True", reason: CDIProgressing, lastTransitionTime: "2026-01-01T00:00:00Z"`, 1), cdi,
			cdiPod("ContainerCreating")}, ID: prereq.HyperConverged, State: step.StatePending,
			Says: []string{"Deployment openshift-cnv/cdi-deployment: 0 of 1 pods are ready; so HyperConverged openshift-cnv/" +
				"kubevirt-hyperconverged: Progressing True (CDIProgressing); it has been so since 2026-01-01T00:00:00Z"}},
		"no pod is missing, for long": {Objects: []string{strings.Replace(hyper("v1beta1", "False"), `type: Progressing, status: "False"`,
			`type: Progressing, status: "True", reason: CDIProgressing, lastTransitionTime: "2026-01-01T00:00:00Z"`, 1)},
			ID: prereq.HyperConverged, State: step.StatePending, Says: []string{"HyperConverged openshift-cnv/kubevirt-hyperconverged: " +
				"Progressing True (CDIProgressing); it has been so since 2026-01-01T00:00:00Z", "oc get cdi -n openshift-cnv -o yaml"}},
		"no permission": {Refused: prereqtest.Forbidden(hyperConvergedResource), ID: prereq.HyperConverged,
			Says: []string{"HyperConverged kubevirt-hyperconverged", "not allowed"}},
		"create": {Objects: []string{installed()}, Kinds: []kube.Kind{kube.HyperConverged}, ID: prereq.HyperConverged,
			Change: step.Created, Writes: []string{resource}, Sends: []string{`"apiVersion":"hco.kubevirt.io/v1beta1"`}},
		"create in the stored version": {Objects: []string{installed(), storesV1}, Kinds: []kube.Kind{kube.HyperConvergedV1},
			ID: prereq.HyperConverged, Change: step.Created, Writes: []string{resource},
			Sends: []string{`"apiVersion":"hco.kubevirt.io/v1"`}},
		"create: operator not to be read": {Refused: prereqtest.Forbidden(subscriptions), ID: prereq.HyperConverged,
			Fails: "Forbidden"},
		"create: CRDs not to be read": {Objects: []string{installed()}, Refused: prereqtest.Forbidden(crds),
			ID: prereq.HyperConverged, Fails: "Forbidden"},
	})
}

func TestRemoval(t *testing.T) {
	own := hyper("v1beta1", "True")
	machine := func(kind, name, owner string) string {
		return fmt.Sprintf(`
---
{apiVersion: kubevirt.io/v1, kind: %s, metadata: {name: %s, namespace: vms, ownerReferences: [%s]}}
`, kind, name, owner)
	}
	const owned = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, name: a, uid: u}"
	run(t, map[string]prereqtest.Case{
		"there": {Objects: []string{own}, ID: prereq.RemoveHyperConverged, State: step.StateMissing},
		"machines": {Objects: []string{own, machine("VirtualMachine", "a", ""),
			machine("VirtualMachineInstance", "a", owned), machine("VirtualMachineInstance", "b", "")},
			ID: prereq.RemoveHyperConverged, State: step.StateBroken,
			Says: []string{"virtual machines are there: VirtualMachine vms/a, VirtualMachineInstance vms/b"}},
		"a machine's instance": {Objects: []string{own, machine("VirtualMachineInstance", "a", owned)},
			ID: prereq.RemoveHyperConverged, State: step.StateMissing},
		"machines not to be read": {Objects: []string{own}, Refused: prereqtest.Forbidden("virtualmachines.kubevirt.io"),
			ID: prereq.RemoveHyperConverged, Says: []string{"VirtualMachines", "not allowed"}},
		"instances not to be read": {Objects: []string{own},
			Refused: prereqtest.Forbidden("virtualmachineinstances.kubevirt.io"),
			ID:      prereq.RemoveHyperConverged, Says: []string{"VirtualMachineInstances", "not allowed"}},
		"delete": {Objects: []string{own}, ID: prereq.RemoveHyperConverged, Change: step.Deleted,
			Writes: []string{"delete " + hyperConvergedResource + " openshift-cnv/kubevirt-hyperconverged"}},
		"delete the catalog": {Objects: []string{catalog(image)}, ID: removeCatalog, Change: step.Deleted,
			Writes: []string{"delete " + catalogs + " openshift-marketplace/hcctl-kubevirt-hyperconverged"}},
	})
}

func TestKVM(t *testing.T) {
	node := func(devices string) string {
		return fmt.Sprintf(`
---
{apiVersion: v1, kind: Node, metadata: {name: w1, labels: {node-role.kubernetes.io/worker: ""}},
  status: {allocatable: {devices.kubevirt.io/kvm: %q}}}
`, devices)
	}
	handler := func(labels string, ready time.Duration) string {
		return fmt.Sprintf(`
---
{apiVersion: v1, kind: Pod, metadata: {name: virt-handler-x, namespace: openshift-cnv, labels: {%s}},
  spec: {nodeName: w1}, status: {conditions: [{type: Ready, status: "True", lastTransitionTime: %q}]}}
`, labels, time.Now().Add(-ready).UTC().Format(time.RFC3339))
	}
	run(t, map[string]prereqtest.Case{
		"offered": {Objects: []string{node("1k")}, ID: KVM, State: step.StateOK, Says: []string{"all 1 workers offer it"}},
		"not offered yet": {Objects: []string{node("0"), handler("kubevirt.io: virt-handler", time.Second)}, ID: KVM,
			State: step.StatePending, Says: []string{"w1 (no devices.kubevirt.io/kvm)"}},
		"not offered": {Objects: []string{node("0"), handler("kubevirt.io: virt-handler", time.Hour)}, ID: KVM,
			State: step.StateBroken, Says: []string{"though virt-handler is ready there"}},
		"another pod is no virt-handler": {Objects: []string{node("0"), handler("kubevirt.io: virt-api", time.Hour)},
			ID: KVM, State: step.StatePending},
		"no permission": {Refused: prereqtest.Forbidden("nodes"), ID: KVM, Says: []string{"Nodes", "not allowed"}},
		"no permission for pods": {Refused: prereqtest.Forbidden("pods"), ID: KVM,
			Says: []string{"Pods virt-handler", "not allowed"}},
	})
}

func TestVersion(t *testing.T) {
	answers := func(virt, kubernetes string) map[string]string {
		return map[string]string{
			"/apis/subresources.kubevirt.io":            `{"preferredVersion":{"groupVersion":"subresources.kubevirt.io/v1"}}`,
			"/apis/subresources.kubevirt.io/v1/version": `{"gitVersion":"` + virt + `"}`,
			"/version": `{"gitVersion":"` + kubernetes + `"}`,
		}
	}
	without := func(path string) map[string]string {
		out := answers("v1.6.2", "v1.33.5")
		delete(out, path)
		return out
	}
	garbled := func(path string) map[string]string {
		out := answers("v1.6.2", "v1.33.5")
		out[path] = "<html>"
		return out
	}
	engine := func(version string) string {
		return `
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: mce},
  status: {currentVersion: ` + version + `}}
`
	}
	openShift := prereqtest.ClusterVersion("4.20.3")
	good := answers("v1.6.2", "v1.33.5")
	run(t, map[string]prereqtest.Case{
		"new enough": {Objects: []string{openShift, hyper("v1beta1", "True")}, Answers: good, ID: Version,
			State: step.StateOK, Says: []string{"KubeVirt v1.6.2 on Kubernetes v1.33.5"}},
		"of another OpenShift": {Objects: []string{prereqtest.ClusterVersion("4.19.3"), hyper("v1beta1", "True")},
			Answers: good, ID: Version, State: step.StateOK, Says: []string{"4.20.1 is made for OpenShift 4.20"}},
		"too old from 4.14 on": {Objects: []string{prereqtest.ClusterVersion("4.14.0")},
			Answers: answers("v0.59.0", "v1.27.6"),
			ID:      Version, State: step.StateBroken, Says: []string{"KubeVirt is v0.59.0", "need 1.0.0 or later"}},
		"old before 4.14": {Objects: []string{prereqtest.ClusterVersion("4.13.9")}, Answers: answers("v0.58.0", "v1.26.6"),
			ID: Version, State: step.StateOK},
		"old for an old engine": {Objects: []string{openShift, engine("2.4.9")}, Answers: answers("v0.59.0", "v1.26.6"),
			ID: Version, State: step.StateOK},
		"old for a newer engine": {Objects: []string{prereqtest.ClusterVersion("4.13.9"), engine("2.5.0")},
			Answers: answers("v1.0.0", "v1.26.6"), ID: Version, State: step.StateBroken,
			Says: []string{"Kubernetes is v1.26.6"}},
		"not served yet": {ID: Version, State: step.StatePending, Says: []string{"KubeVirt's API is not served yet"},
			Recheck: 2 * time.Second},
		"half served": {Answers: without("/apis/subresources.kubevirt.io/v1/version"), ID: Version,
			State: step.StatePending},
		"garbled group": {Answers: garbled("/apis/subresources.kubevirt.io"), ID: Version, Says: []string{"APIService"}},
		"garbled version": {Answers: garbled("/apis/subresources.kubevirt.io/v1/version"), ID: Version,
			Says: []string{"APIService"}},
		"Kubernetes' is not told": {Answers: without("/version"), ID: Version, Says: []string{"API server's version"}},
		"OpenShift's is not told": {Answers: good, ID: Version, Says: []string{"ClusterVersion version"}},
		"no permission": {Answers: good, Refused: prereqtest.Forbidden("/apis/subresources.kubevirt.io"), ID: Version,
			Says: []string{"APIService subresources.kubevirt.io", "not allowed"}},
		"no permission for engines": {Objects: []string{openShift}, Answers: good,
			Refused: prereqtest.Forbidden("multiclusterengines.multicluster.openshift.io"), ID: Version,
			Says: []string{"MultiClusterEngines", "not allowed"}},
		"no permission for HyperConvergeds": {Objects: []string{openShift}, Answers: good,
			Refused: prereqtest.Forbidden(hyperConvergedResource), ID: Version, Says: []string{"HyperConverged", "not allowed"}},
	})
}

const operatorManifest = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: hyperconvergeds.hco.kubevirt.io}
spec: {group: hco.kubevirt.io, names: {kind: HyperConverged}}
`

const deploymentManifest = `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: hco-operator, namespace: kv}
`

func directory(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestManifests(t *testing.T) {
	of := func(text string) []prereq.Prerequisite { return with(Options{Manifests: directory(t, text)}) }
	custom := "\n---\napiVersion: hco.kubevirt.io/v1beta1\nkind: HyperConverged\n" +
		"metadata: {name: kubevirt-hyperconverged, namespace: openshift-cnv}\n"
	whole := of(operatorManifest + deploymentManifest)
	complete := of(operatorManifest + deploymentManifest + custom)
	bad := with(Options{Manifests: t.TempDir()})
	noOLM := map[string]int{subscriptions: 404}
	const patchCRD = "patch " + crds + " hyperconvergeds.hco.kubevirt.io"
	const patchDeployment = "patch deployments.apps kv/hco-operator"
	const patchOwn = "patch " + hyperConvergedResource + " kv/kubevirt-hyperconverged"
	registered := []kube.Kind{kube.HyperConverged}
	prereqtest.Run(t, whole, map[string]prereqtest.Case{
		"not applied": {Refused: noOLM, ID: Operator, State: step.StateMissing,
			Says: []string{"it is not there (all.yaml, document 1)", "hcctl bootstrap --virtualization-manifests /"}},
		"a Subscription goes before": {Objects: []string{installed()}, ID: Operator, State: step.StateOK,
			Says: []string{"v4.20.1 is installed"}},
		"no permission": {Refused: prereqtest.Forbidden(subscriptions), ID: Operator,
			Says: []string{"Subscriptions", "not allowed"}},
		"no directory": {Of: bad, ID: Operator, State: step.StateBroken, Says: []string{"has no manifests",
			"correct the directory"}},
		"not to be read": {Refused: prereqtest.Forbidden(crds), ID: Operator, Says: []string{"not allowed"}},
		"apply": {ID: Operator, Change: step.Created, Writes: []string{patchCRD, patchDeployment},
			Sends: []string{`"hcctl.dev/manifest":"`}},
		"apply: no directory": {Of: bad, ID: Operator, Fails: "has no manifests"},

		"HyperConverged by a Subscription": {Objects: []string{installed(), hyper("v1beta1", "True")}, Of: complete,
			ID: prereq.HyperConverged, State: step.StateOK, Says: []string{"Available, version 4.20.1"}},
		"HyperConverged is not of the manifest": {Objects: []string{hyper("v1beta1", "True")}, Of: complete, Refused: noOLM,
			ID: prereq.HyperConverged, State: step.StateMissing, Says: []string{"it was not applied from the current content of all.yaml, document 3"}},
		"HyperConverged of no manifest": {Objects: []string{hyper("v1beta1", "True")}, Refused: noOLM,
			ID: prereq.HyperConverged, State: step.StateOK, Says: []string{"Available"}},
		"HyperConverged is not well": {Objects: []string{hyper("v1beta1", "False")}, Of: complete, Refused: noOLM,
			ID: prereq.HyperConverged, State: step.StatePending, Says: []string{"Available False"}},
		"HyperConverged, Subscriptions not to be read": {Objects: []string{hyper("v1beta1", "True")},
			Refused: prereqtest.Forbidden(subscriptions), ID: prereq.HyperConverged,
			Says: []string{"Subscriptions", "not allowed"}},
		"HyperConverged, no directory": {Objects: []string{hyper("v1beta1", "True")}, Of: bad, Refused: noOLM,
			ID: prereq.HyperConverged, State: step.StateBroken, Says: []string{"Manifests /", "has no manifests"}},
		"apply the plainest HyperConverged": {Kinds: registered, ID: prereq.HyperConverged, Change: step.Created,
			Writes: []string{patchOwn}},
		"apply the directory's HyperConverged": {Kinds: registered, Of: complete, ID: prereq.HyperConverged,
			Change: step.Created, Sends: []string{`"hcctl.dev/manifest":"`},
			Writes: []string{"patch " + hyperConvergedResource + " openshift-cnv/kubevirt-hyperconverged"}},
		"apply: no operator": {Of: of(operatorManifest), ID: prereq.HyperConverged,
			Fails: "neither a HyperConverged nor the Deployment"},
		"apply HyperConverged: no directory": {Of: bad, ID: prereq.HyperConverged, Fails: "has no manifests"},
		"apply HyperConverged: no CRDs": {Refused: prereqtest.Forbidden(crds), ID: prereq.HyperConverged,
			Fails: "Forbidden"},
		"apply HyperConverged: not registered": {Of: complete, ID: prereq.HyperConverged, Fails: "all.yaml, document 3",
			Writes: []string{"patch " + hyperConvergedResource + " openshift-cnv/kubevirt-hyperconverged"}},
	})
}

func TestManifestsAreUp(t *testing.T) {
	of := with(Options{Manifests: directory(t, operatorManifest+deploymentManifest)})
	api := prereqtest.Serve(t)
	if _, err := prereqtest.Apply(t, api.Client, of, Operator); err != nil {
		t.Fatal(err)
	}
	prereqtest.Expect(t, prereqtest.Check(t, api.Client, of, Operator), step.StatePending, "Established not reported yet")
	crd := api.Object(t, kube.CustomResourceDefinition, "", "hyperconvergeds.hco.kubevirt.io")
	crd.Object["status"] = map[string]any{"conditions": []any{prereqtest.Condition("Established", "True", "", "")}}
	operator := api.Object(t, deploymentKind(), "kv", "hco-operator")
	healthtest.RollOut(operator)
	for _, up := range []*unstructured.Unstructured{crd, operator} {
		text, err := up.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		api.Put(t, string(text))
	}
	prereqtest.Expect(t, prereqtest.Check(t, api.Client, of, Operator), step.StateOK, "2 objects of the manifests")
}

func deploymentKind() kube.Kind {
	k := kube.Kind{Plural: "deployments", Namespaced: true}
	k.Group, k.Version, k.Kind = "apps", "v1", "Deployment"
	return k
}
