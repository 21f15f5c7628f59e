package options

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/jsonpatch"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
)

// placementFields lists the options about the placement of the worker VMs of all pools.
func placementFields() []Field {
	return []Field{
		{Name: "spread", Flag: "spread", Group: option.Workers, Max: 8,
			Why: "where VMs stand is written into each node pool, for all pools of a cluster together",
			Way: hint.New("%s for the cluster, %s for one pool", hint.Run("apply").Flag("f", "FILE"),
				hint.Run("update nodepool", "POOL").Flag("spread", "KEY")),
			Writes:  hostedCluster + "metadata.annotations[" + hostedcluster.SpreadAnnotation + "], " + vmPatchAnnotation,
			Example: "rack=required,max=2",
			Text: "spread the worker VMs of all pools over hosts, zones or any other label of nodes, as " +
				"KEY[=required|preferred][,max=N]; counted before anything is written"},
		{Name: "avoid", Flag: "avoid", Group: option.Workers, Max: 20,
			Why:     "where VMs stand is written into each node pool, for all pools of a cluster together",
			Way:     hint.Run("apply").Flag("f", "FILE").Text(),
			Writes:  hostedCluster + "metadata.annotations[" + hostedcluster.AvoidAnnotation + "], " + vmPatchAnnotation,
			Example: "kv-01,lab/kv-02",
			Text:    "hosted cluster, as [NAMESPACE/]NAME, whose worker VMs share no host with those of this one"},
		{Name: "isolateControlPlane", Flag: "isolate-control-plane", Group: option.ControlPlane,
			Values: []string{isolateShared, isolateDedicated}, Why: "it is written as a node selector",
			Way: hint.Run("update cluster", "NAME").Flag("node-selector",
				"hypershift.openshift.io/control-plane=true").Text(),
			Writes: hostedCluster + "spec.nodeSelector", Example: isolateShared,
			Text: "run the control plane only on nodes for control planes (shared), or only on nodes of this cluster " +
				"(dedicated), which have HyperShift's label and taint, so that worker VMs stay away"},
		{Name: "nodeTopology", Flag: "node-topology", Group: option.Workers, Beside: true, Max: 8,
			Why: "the labels are those of the hosted cluster's nodes", Way: byApply,
			Writes: "labels of the hosted cluster's nodes", Example: "host,rack",
			Text: "label the hosted cluster's nodes with the host, zone or other label of the nodes that run their " +
				"VMs, as topology.hcctl.dev/KEY; a KEY with a / is written as it is"},
	}
}

const vmPatchAnnotation = "NodePool metadata.annotations[hypershift.openshift.io/kubevirt-vm-jsonpatch]"

type operation = placement.Operation

// Avoided returns the control plane namespaces of the clusters in Avoid. Their worker VMs run there.
func (v Validated) Avoided() []string {
	var namespaces []string
	for _, c := range v.Avoid {
		namespaces = append(namespaces, hostedcluster.ControlPlaneNamespace(c.Namespace, c.Name))
	}
	return namespaces
}

// VMPatch returns the whole patch of a pool's VirtualMachines, or "" if there is nothing to patch.
func (v Validated) VMPatch(pool ValidatedPool, infraID string) string {
	patch, _ := v.vmPatch(pool.validatedPool, infraID) // parsePlacement has built the same patch without an error
	return patch
}

func (v *validated) vmPatch(pool *validatedPool, infraID string) (string, error) {
	var earlier []operation
	if text, ok := v.Annotations[hyperv1.JSONPatchAnnotation]; ok {
		// validateMetadata reports an annotation that cannot be parsed.
		earlier, _ = parsePatch([]byte(text))
	}
	return placement.VMs{
		InfraID: infraID, Pool: pool.Name, Spread: v.Spread, PoolSpread: pool.Spread, Avoid: Validated{v}.Avoided(),
		Tolerations: pool.VMToleration, Affinity: pool.VMAffinity, Pinned: pool.CPUPinning,
		Own: pool.VMJSONPatch, Earlier: earlier,
	}.JSONPatch()
}

// parsePlacement parses the placement of the VMs of all pools, and checks that it does not conflict with the rest of
// each pool's patch. The pools must have been parsed.
func (o Cluster) parsePlacement(v *validated) (err error) {
	v.Spread, err = parseEach("spread", o.Spread, placement.ParseSpread)
	errs := []error{err, checkRepeated("spread", v.Spread)}
	v.Avoid, err = parseEach("avoid", o.Avoid, o.parseAvoided)
	errs = append(errs, err)
	if len(o.Avoid) > 0 && o.InfraNamespace != "" {
		errs = append(errs, Errorf("avoid", strings.Join(o.Avoid, ","),
			"not together with %s: the VMs run on another cluster", hint.Flag("infra-namespace")))
	}
	if key, value, isolated := (Validated{v}).PlaneLabel(); isolated && o.NodeSelector[key] != "" &&
		o.NodeSelector[key] != value {
		errs = append(errs, Errorf("nodeSelector", key+"="+o.NodeSelector[key],
			"%s %s writes %s=%s", hint.Flag("isolate-control-plane"), o.IsolateControlPlane, key, value))
	}
	v.NodeTopology, err = parseEach("nodeTopology", o.NodeTopology, parseTopologyKey)
	errs = append(errs, err)
	if len(o.NodeTopology) > 0 && o.InfraNamespace != "" {
		errs = append(errs, Errorf("nodeTopology", strings.Join(o.NodeTopology, ","),
			"not together with %s: the VMs run on another cluster", hint.Flag("infra-namespace")))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for i, pool := range v.NodePools {
		errs = append(errs, option.InPool(v.checkPlacement(pool.validatedPool), i))
	}
	return errors.Join(errs...)
}

// checkPlacement returns the conflicts in the patch of a pool.
func (v *validated) checkPlacement(pool *validatedPool) error {
	if _, again := placement.Repeated(pool.Spread); again {
		return nil // parseScheduling reports it
	}
	for _, s := range pool.Spread {
		if _, again := placement.Repeated(append(slices.Clone(v.Spread), s)); again {
			return Errorf("spread", s.String(), "said for all pools of the cluster already")
		}
	}
	_, err := v.vmPatch(pool, "infra")
	var conflict *placement.ConflictError
	switch {
	case !errors.As(err, &conflict):
		return err
	case conflict.Earlier:
		return Errorf("annotations", hyperv1.JSONPatchAnnotation, "%v", conflict)
	}
	return Errorf("vmJSONPatch", pool.plainPool.VMJSONPatch.Path, "%v", conflict)
}

func checkRepeated(field string, all []placement.Spread) error {
	if s, again := placement.Repeated(all); again {
		return Errorf(field, s.String(), "%s is given twice", s.Noun())
	}
	return nil
}

// The values of --isolate-control-plane.
const (
	isolateShared    = "shared"
	isolateDedicated = "dedicated"
)

// ControlPlaneLabel is both a label and a taint (NoSchedule) of nodes for control planes, with the value true.
// HyperShift's pods prefer nodes with this label, or with hyperv1.HostedClusterLabel and the namespace of their control
// plane, and tolerate both taints (support/config, setControlPlaneIsolation, 4.14; support/controlplane-component,
// 5.2).
const ControlPlaneLabel = "hypershift.openshift.io/control-plane"

// PlaneLabel returns the label of the nodes to which the control plane is confined. The taint has the same key and
// value.
func (v Validated) PlaneLabel() (key, value string, isolated bool) {
	switch v.IsolateControlPlane {
	case isolateShared:
		return ControlPlaneLabel, "true", true
	case isolateDedicated:
		return hyperv1.HostedClusterLabel, hostedcluster.ControlPlaneNamespace(v.Namespace, v.Name), true
	}
	return "", "", false
}

// PlaneSelector returns the node selector of the control plane's pods.
func (v Validated) PlaneSelector() map[string]string {
	selector := maps.Clone(v.NodeSelector)
	if key, value, isolated := v.PlaneLabel(); isolated {
		if selector == nil {
			selector = map[string]string{}
		}
		selector[key] = value
	}
	return selector
}

// TopologyKey maps a label of hosts to the label that the hosted cluster's nodes get.
type TopologyKey struct{ Host, Guest string }

// TopologyPrefix is the prefix of the node labels that --node-topology writes for keys without a /.
const TopologyPrefix = "topology.hcctl.dev/"

func parseTopologyKey(s string) (TopologyKey, error) {
	spread, err := placement.ParseSpread(s)
	domain, _, qualified := strings.Cut(s, "/")
	switch {
	case err != nil || strings.ContainsAny(s, "=,"):
		return TopologyKey{}, errors.New("neither host nor zone nor region nor the name of a label")
	case !qualified:
		return TopologyKey{Host: spread.Label, Guest: TopologyPrefix + s}, nil
	case s == corev1.LabelTopologyZone || s == corev1.LabelTopologyRegion:
	case domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io") || domain == "k8s.io" ||
		strings.HasSuffix(domain, ".k8s.io"):
		return TopologyKey{}, errors.New("a label of Kubernetes' own is not overwritten, but for " +
			"topology.kubernetes.io/zone and topology.kubernetes.io/region; write host, zone or region")
	}
	return TopologyKey{Host: s, Guest: s}, nil
}

// parseAvoided reads [NAMESPACE/]NAME.
func (o Cluster) parseAvoided(s string) (types.NamespacedName, error) {
	namespace, name, qualified := strings.Cut(s, "/")
	if !qualified {
		namespace, name = o.Namespace, s
	}
	switch {
	case len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0:
		return types.NamespacedName{}, errors.New("not a hosted cluster, as [NAMESPACE/]NAME")
	case namespace == o.Namespace && name == o.Name:
		return types.NamespacedName{}, fmt.Errorf("is this cluster itself; spread its workers with %s host",
			hint.Flag("spread"))
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, nil
}

func parseAffinity(content []byte) (*corev1.Affinity, error) {
	doc, err := document.One(content, "a pod's spec.affinity")
	if err != nil {
		return nil, err
	}
	affinity := &corev1.Affinity{}
	if err := doc.Decode(affinity); err != nil {
		return nil, fmt.Errorf("not the YAML of a pod's spec.affinity: %w", err)
	}
	if affinity.NodeAffinity == nil && affinity.PodAffinity == nil && affinity.PodAntiAffinity == nil {
		return nil, errors.New("there is neither nodeAffinity nor podAffinity nor podAntiAffinity in it")
	}
	return affinity, nil
}

// parsePatch reads a JSON patch. Only the operator can decide whether it applies to a virtual machine.
func parsePatch(content []byte) ([]operation, error) {
	ops, err := jsonpatch.Parse(content)
	if err == nil && len(ops) == 0 {
		err = errors.New("the patch is empty")
	}
	return ops, err
}
