// Package convert makes options from HostedClusters and NodePools that other tools wrote: kustomize, hcp --render, the
// console, oc get -o yaml. Fields without an option become a patch, and what a patch cannot express is a finding.
// Nothing is dropped silently.
package convert

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/schema"
)

// Group is the API group of HostedClusters and NodePools.
const Group = "hypershift.openshift.io"

// Object is an object with the file that contains it.
type Object struct {
	document.Object
	File string
}

func (o Object) unstructured() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: o.Fields}
}

// name returns the kind and name of the object, such as "NodePool kv-00".
func (o Object) name() string { return o.unstructured().GetKind() + " " + o.unstructured().GetName() }

// Finding is a problem of an object, or a note about it.
type Finding struct {
	File string
	Line int
	// Object names the object, such as "NodePool kv-00". Field is a path in it; empty for the whole object.
	Object, Field string
	Message       string
	// Next is the advice, if it is not obvious.
	Next hint.Text
	// Note means that nothing is wrong.
	Note bool

	bySchema bool
}

// Release is the HyperShift version whose fields objects are validated against.
type Release struct {
	// Minor is its number as in package openshift. With 0 each object's own release decides.
	Minor int
	// From is the source of the version, such as "spec.release.image".
	From string
}

// String returns the version and its source, such as "HyperShift 4.20 (spec.release.image)".
func (r Release) String() string {
	return fmt.Sprintf("HyperShift %s (%s)", schema.Name(r.Minor), r.From)
}

// ReleaseOf returns the release for a version, or the newest known one if the version cannot be parsed.
func ReleaseOf(version, from string) Release {
	if v, ok := hostedcluster.ParseVersion(version); ok {
		return Release{schema.Clamp(v.MinorNumber()), from}
	}
	return Release{schema.Newest(), "the newest that hcctl knows"}
}

func (o Object) finding(field, format string, args ...any) Finding {
	return Finding{File: o.File, Line: o.LineOf(field), Object: o.name(), Field: field,
		Message: fmt.Sprintf(format, args...)}
}

func (o Object) note(field, format string, args ...any) Finding {
	f := o.finding(field, format, args...)
	f.Note = true
	return f
}

// File is a file that the options refer to.
type File struct {
	Name string
	Data []byte
}

// Cluster is the hosted cluster that a set of objects describes.
type Cluster struct {
	// Options are equivalent to the objects. Files are the files that the options refer to, in the directory of the
	// document.
	Options  options.Cluster
	Files    []File
	Findings []Finding
	Release  Release
	// Where is the position of its HostedCluster, such as "kv-00.yaml:1".
	Where string
}

// IsVendor reports whether an object is a HostedCluster or a NodePool.
func IsVendor(o document.Object) bool {
	u := unstructured.Unstructured{Object: o.Fields}
	return u.GroupVersionKind().Group == Group &&
		slices.Contains([]string{hostedcluster.HostedClusterKind, hostedcluster.NodePoolKind}, u.GetKind())
}

// Clusters returns the hosted clusters that the objects describe, in their order, and the rest: objects of no cluster,
// which a user has to apply separately. The findings are about NodePools without a HostedCluster.
func Clusters(objects []Object, of Release) (all []Cluster, rest []Object, findings []Finding) {
	used := map[int]bool{}
	for i, o := range objects {
		if !IsVendor(o.Object) || o.unstructured().GetKind() != hostedcluster.HostedClusterKind {
			continue
		}
		used[i] = true
		r := reader{hc: clean(o), out: Cluster{Release: of}}
		if of.Minor == 0 {
			r.out.Release = releaseOf(o)
		}
		name, namespace := r.hc.unstructured().GetName(), namespaceOf(r.hc)
		for j, other := range objects {
			u := other.unstructured()
			switch {
			case used[j] || namespaceOf(other) != namespace:
			case IsVendor(other.Object):
				if of, _, _ := unstructured.NestedString(other.Fields, "spec", "clusterName"); of == name {
					r.pools, used[j] = append(r.pools, clean(other)), true
				}
			case hostedcluster.CompanionKind(u.GroupVersionKind().GroupKind(), textAt(other.Fields, "type")):
				if r.refersTo(u) || len(clustersIn(objects, namespace)) == 1 {
					r.companions, used[j] = append(r.companions, clean(other)), true
				}
			}
		}
		all = append(all, r.cluster())
	}
	for i, o := range objects {
		switch {
		case used[i] || isPlainNamespace(o, all):
		case IsVendor(o.Object):
			findings = append(findings, o.finding("spec.clusterName", "the HostedCluster %s/%s is not among the files",
				namespaceOf(o), textAt(o.Fields, "spec", "clusterName")))
		default:
			rest = append(rest, clean(o))
		}
	}
	return all, rest, findings
}

// releaseOf returns the release of a HostedCluster. A stored object has passed the API server's CRD, which may be newer
// than the cluster's release.
func releaseOf(o Object) Release {
	if o.unstructured().GetUID() != "" {
		return Release{schema.Newest(), "the newest that hcctl knows: the object comes from an API server"}
	}
	return ReleaseOf(textAt(o.Fields, "spec", "release", "image"), "spec.release.image")
}

func clustersIn(objects []Object, namespace string) (names []string) {
	for _, o := range objects {
		if IsVendor(o.Object) && o.unstructured().GetKind() == hostedcluster.HostedClusterKind &&
			namespaceOf(o) == namespace {
			names = append(names, o.unstructured().GetName())
		}
	}
	return names
}

func namespaceOf(o Object) string {
	return cmp.Or(o.unstructured().GetNamespace(), options.Defaults().Namespace)
}

func textAt(fields map[string]any, path ...string) string {
	s, _, _ := unstructured.NestedString(fields, path...)
	return s
}

// isPlainNamespace reports whether hcctl itself creates the same Namespace.
func isPlainNamespace(o Object, all []Cluster) bool {
	u := o.unstructured()
	labels := maps.Clone(u.GetLabels())
	delete(labels, "kubernetes.io/metadata.name")
	return u.GetKind() == "Namespace" && len(labels)+len(u.GetAnnotations()) == 0 &&
		slices.ContainsFunc(all, func(c Cluster) bool { return c.Options.Namespace == u.GetName() })
}

// serverFields lists the fields of metadata that only a server writes.
var serverFields = []string{"managedFields", "resourceVersion", "uid", "creationTimestamp", "generation", "selfLink",
	"ownerReferences", "finalizers", "deletionTimestamp", "deletionGracePeriodSeconds"}

// clean returns an object without the fields that a server or an operator writes, converted to v1beta1.
func clean(o Object) Object {
	u := o.unstructured().DeepCopy()
	delete(u.Object, "status")
	for _, field := range serverFields {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	annotations := u.GetAnnotations()
	for key := range annotations {
		if key == corev1.LastAppliedConfigAnnotation || u.GetKind() == hostedcluster.NodePoolKind &&
			strings.HasPrefix(key, Group+"/nodePool") {
			delete(annotations, key)
		}
	}
	if u.SetAnnotations(annotations); len(annotations) == 0 {
		unstructured.RemoveNestedField(u.Object, "metadata", "annotations")
	}
	o.Fields = u.Object
	if IsVendor(o.Object) {
		convertV1alpha1(o.Fields)
	}
	return o
}

// convertV1alpha1 moves fields that only v1alpha1 has to their place in v1beta1, as HyperShift's conversion does
// (api/hypershift/v1alpha1, ConvertTo).
func convertV1alpha1(fields map[string]any) {
	if fields["apiVersion"] != Group+"/v1alpha1" {
		return
	}
	fields["apiVersion"] = Group + "/v1beta1"
	spec, _ := fields["spec"].(map[string]any)
	if count, has := spec["nodeCount"]; has {
		if spec["replicas"] == nil {
			spec["replicas"] = count
		}
		delete(spec, "nodeCount")
	}
	networking, _ := spec["networking"].(map[string]any)
	for old, field := range map[string]string{"podCIDR": "clusterNetwork", "serviceCIDR": "serviceNetwork",
		"machineCIDR": "machineNetwork"} {
		if cidr, has := networking[old]; has {
			if networking[field] == nil && cidr != "" {
				networking[field] = []any{map[string]any{"cidr": cidr}}
			}
			delete(networking, old)
		}
	}
}
