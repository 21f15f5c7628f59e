// Package clusterapi writes the objects of Cluster API and its KubeVirt provider in a control plane namespace. Labels,
// annotations, finalizers and owners are those of a run of v1.10.4 and v0.1.10. It leaves out v1beta2 conditions and
// the machines' templates.
package clusterapi

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

const (
	core     = "cluster.x-k8s.io/v1beta1"
	provider = "infrastructure.cluster.x-k8s.io/v1alpha1"
)

// The finalizers. The controllers of Cluster API's Deployments remove them.
const (
	clusterFinalizer         = "cluster.cluster.x-k8s.io"
	deploymentFinalizer      = "cluster.x-k8s.io/machinedeployment"
	setFinalizer             = "cluster.x-k8s.io/machineset"
	machineFinalizer         = "machine.cluster.x-k8s.io"
	kubevirtMachineFinalizer = "kubevirtmachine.infrastructure.cluster.x-k8s.io"
)

// Labels and annotations.
const (
	deploymentLabel = "cluster.x-k8s.io/deployment-name"
	setLabel        = "cluster.x-k8s.io/set-name"
	// TemplateHashLabel identifies the template that a machine was made from.
	TemplateHashLabel = "machine-template-hash"

	pausedAnnotation    = "cluster.x-k8s.io/paused"
	taintsAnnotation    = "hypershift.openshift.io/nodePoolTaints"
	clonedName          = "cluster.x-k8s.io/cloned-from-name"
	clonedKind          = "cluster.x-k8s.io/cloned-from-groupkind"
	managedByAnnotation = "cluster.x-k8s.io/managed-by"
	maxSizeAnnotation   = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"
	minSizeAnnotation   = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size"
)

// GVK returns the version that the objects of a kind, or a list of them, are written in.
func GVK(kind string) schema.GroupVersionKind {
	if strings.HasPrefix(kind, "Kubevirt") {
		return schema.FromAPIVersionAndKind(provider, kind)
	}
	return schema.FromAPIVersionAndKind(core, kind)
}

type fields = map[string]any

func newObject(kind, namespace, name, finalizer string, labels, annotations map[string]string,
	spec fields) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: fields{}}
	o.SetGroupVersionKind(GVK(kind))
	o.SetNamespace(namespace)
	o.SetName(name)
	o.SetLabels(labels)
	o.SetAnnotations(annotations)
	if finalizer != "" {
		o.SetFinalizers([]string{finalizer})
	}
	o.Object["spec"] = spec
	return o
}

// ownedBy sets the only owner of an object.
func ownedBy(o, owner *unstructured.Unstructured, controller bool) *unstructured.Unstructured {
	ref := fields{"apiVersion": owner.GetAPIVersion(), "kind": owner.GetKind(), "name": owner.GetName(),
		"uid": string(owner.GetUID())}
	if controller {
		ref["controller"], ref["blockOwnerDeletion"] = true, true
	}
	meta, _ := o.Object["metadata"].(fields)
	meta["ownerReferences"] = []any{ref}
	return o
}

func reference(kind, namespace, name string) fields {
	version, kind := GVK(kind).ToAPIVersionAndKind()
	return fields{"apiVersion": version, "kind": kind, "namespace": namespace, "name": name}
}

// newCluster is the Cluster of a control plane, and newKubevirtCluster its infrastructure.
func newCluster(namespace, infraID string, hosted types.NamespacedName) *unstructured.Unstructured {
	return newObject("Cluster", namespace, infraID, clusterFinalizer, nil,
		map[string]string{metadata.ClusterAnnotation: hosted.String()}, fields{
			"controlPlaneEndpoint": fields{"host": "", "port": int64(0)},
			"controlPlaneRef": fields{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedControlPlane",
				"namespace": namespace, "name": hosted.Name},
			"infrastructureRef": reference("KubevirtCluster", namespace, infraID),
		})
}

func newKubevirtCluster(namespace, infraID string, hosted types.NamespacedName) *unstructured.Unstructured {
	return newObject("KubevirtCluster", namespace, infraID, "", map[string]string{metadata.ClusterNameLabel: infraID},
		map[string]string{metadata.ClusterAnnotation: hosted.String(), managedByAnnotation: "external"},
		fields{"controlPlaneEndpoint": fields{"host": "", "port": int64(0)}})
}

// Pool is what the objects of a NodePool are made from.
type Pool struct {
	Namespace, InfraID, ClusterName string
	NodePool                        types.NamespacedName
	// Template is the name of the KubevirtMachineTemplate, Hash what ends the name of the MachineSet.
	Template, Hash   string
	UserData         string
	Version          string
	InPlace          bool
	Replicas         int
	Surge, Available int
	Max, Min         string
	Taints           string
}

// resources is the label that all objects of the pool have.
func (p Pool) resources() string { return p.InfraID + "-" + p.ClusterName + "-" + p.NodePool.Name }

func (p Pool) annotations() map[string]string {
	return map[string]string{metadata.NodePoolAnnotation: p.NodePool.String()}
}

// labels are those of the machines that a MachineSet selects.
func (p Pool) labels() map[string]string {
	return map[string]string{metadata.ClusterNameLabel: p.InfraID, p.resources(): p.resources()}
}

func (p Pool) hashed() map[string]string {
	labels := p.labels()
	if !p.InPlace {
		labels[TemplateHashLabel] = p.Hash
	}
	return labels
}

// setName is the MachineSet's: the NodePool's own with upgrades in place.
func (p Pool) setName() string {
	if p.InPlace {
		return p.NodePool.Name
	}
	return p.NodePool.Name + "-" + p.Hash
}

func (p Pool) machineTemplate() *unstructured.Unstructured {
	return newObject("KubevirtMachineTemplate", p.Namespace, p.Template, "", nil, p.annotations(), fields{
		"template": fields{"spec": fields{"virtualMachineBootstrapCheck": fields{"checkStrategy": "none"}}},
	})
}

func (p Pool) scaled(annotations map[string]string) map[string]string {
	annotations[maxSizeAnnotation], annotations[minSizeAnnotation] = p.Max, p.Min
	return annotations
}

func (p Pool) spec(selector map[string]string) fields {
	return fields{
		"clusterName": p.InfraID, "replicas": int64(p.Replicas), "selector": fields{"matchLabels": asFields(selector)},
		"template": fields{
			"metadata": fields{"labels": asFields(selector), "annotations": asFields(p.annotations())},
			"spec":     p.machineSpec(reference("KubevirtMachineTemplate", p.Namespace, p.Template)),
		},
	}
}

func (p Pool) machineSpec(infrastructure fields) fields {
	return fields{"bootstrap": fields{"dataSecretName": p.UserData}, "clusterName": p.InfraID,
		"infrastructureRef": infrastructure, "version": p.Version}
}

func (p Pool) deployment() *unstructured.Unstructured {
	spec := p.spec(p.labels())
	spec["minReadySeconds"] = int64(0)
	annotations := p.scaled(p.annotations())
	annotations["machinedeployment.clusters.x-k8s.io/revision"] = "1"
	return newObject("MachineDeployment", p.Namespace, p.NodePool.Name, deploymentFinalizer,
		map[string]string{metadata.ClusterNameLabel: p.InfraID}, annotations, spec)
}

// manages is what the operator makes of a pool: the MachineSet itself with upgrades in place.
func (p Pool) manages() *unstructured.Unstructured {
	if p.InPlace {
		return p.set()
	}
	return p.deployment()
}

func (p Pool) set() *unstructured.Unstructured {
	labels, annotations := p.hashed(), p.scaled(p.annotations())
	if !p.InPlace {
		labels[deploymentLabel] = p.NodePool.Name
		annotations["machinedeployment.clusters.x-k8s.io/revision"] = "1"
		annotations["machinedeployment.clusters.x-k8s.io/desired-replicas"] = strconv.Itoa(p.Replicas)
		annotations["machinedeployment.clusters.x-k8s.io/max-replicas"] = strconv.Itoa(p.Replicas + p.Surge)
	}
	return newObject("MachineSet", p.Namespace, p.setName(), setFinalizer, labels, annotations, p.spec(p.hashed()))
}

func (p Pool) machineLabels() map[string]string {
	labels := p.hashed()
	labels[setLabel] = p.setName()
	if !p.InPlace {
		labels[deploymentLabel] = p.NodePool.Name
	}
	return labels
}

func (p Pool) machine(name string) *unstructured.Unstructured {
	annotations := p.annotations()
	annotations[taintsAnnotation] = p.Taints
	spec := p.machineSpec(reference("KubevirtMachine", p.Namespace, name))
	spec["providerID"] = providerID(name)
	return newObject("Machine", p.Namespace, name, machineFinalizer, p.machineLabels(), annotations, spec)
}

func (p Pool) kubevirtMachine(name string) *unstructured.Unstructured {
	annotations := p.annotations()
	annotations[clonedName] = p.Template
	annotations[clonedKind] = "KubevirtMachineTemplate.infrastructure.cluster.x-k8s.io"
	return newObject("KubevirtMachine", p.Namespace, name, kubevirtMachineFinalizer, p.machineLabels(), annotations,
		fields{"providerID": providerID(name)})
}

func providerID(machine string) string { return "kubevirt://" + machine }

func asFields(m map[string]string) fields {
	out := fields{}
	for k, v := range m {
		out[k] = v
	}
	return out
}
