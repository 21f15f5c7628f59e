package update

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/fields"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Request holds the options of update cluster.
type Request struct {
	Namespace, Name string
	// Given are the rows of Fields that the user gave. Overlay sets their options.
	Given   []options.Field
	Overlay func(*options.Cluster)
	// RemoveLabels and RemoveAnnotations are keys of the HostedCluster's metadata to remove.
	RemoveLabels, RemoveAnnotations []string
}

// Update is a prepared change of a HostedCluster's fields.
type Update struct {
	client *kube.Client
	// Cluster is the HostedCluster as it was read.
	Cluster *hyperv1.HostedCluster
	// Changes are the fields that differ. Effect is the gravest effect of them.
	Changes []fields.Change
	Effect  option.Effect
	// Wait is set if the run waits until the operator has accepted the change.
	Wait bool
}

// Prepare determines the changes and only reads. Labels and annotations are added to the existing ones; any other value
// replaces the existing one. It returns a *hostedcluster.NotFoundError, *hostedcluster.PausedError or *options.Error,
// or the error of a read.
func Prepare(ctx context.Context, c *kube.Client, r Request) (*Update, error) {
	hc, err := hostedcluster.Find(ctx, c, r.Namespace, r.Name)
	if err != nil {
		return nil, err
	}
	if hc.DeletionTimestamp != nil {
		return nil, fmt.Errorf("HostedCluster %s is being deleted since %s", kube.Name(hc),
			hc.DeletionTimestamp.UTC().Format(time.RFC3339))
	}
	if err := hostedcluster.CheckNotPaused(hc, nil, c.Now()); err != nil {
		return nil, err
	}
	o := optionsOf(hc)
	r.Overlay(&o)
	if at, err := hostedcluster.ParseExpiry(o.Expires, c.Now()); err == nil {
		o.Expires = at.Format(time.RFC3339) // the duration counts from now, not from the creation
	}
	valid, err := o.Validate()
	if err != nil {
		return nil, err
	}
	u := &Update{client: c, Cluster: hc, Effect: option.RestartsNothing, Wait: true}
	if err := u.compare(r, valid); err != nil {
		return u, err
	}
	return u, u.checkNameFree(ctx, valid.KASDNSName)
}

// checkNameFree returns a *hostedcluster.TakenError if another cluster or a Route has the requested name of the API
// server.
func (u *Update) checkNameFree(ctx context.Context, name string) error {
	changed := func(c fields.Change) bool { return c.Path == "spec.kubeAPIServerDNSName" }
	if name == "" || !slices.ContainsFunc(u.Changes, changed) {
		return nil
	}
	taken, err := hostedcluster.Taken(ctx, u.client, u.Cluster, []hostedcluster.Published{{Host: name}})
	if taken != nil {
		return taken
	}
	return err
}

// optionsOf returns the default options, with the settings of the HostedCluster that the validation of other options
// needs.
func optionsOf(hc *hyperv1.HostedCluster) options.Cluster {
	o := options.Defaults()
	o.Name, o.Namespace = hc.Name, hc.Namespace
	if t := hc.Spec.Networking.NetworkType; t != "" {
		o.NetworkType = string(t)
	}
	if c := hc.Spec.Configuration; c != nil && c.Proxy != nil {
		o.HTTPProxy, o.HTTPSProxy = c.Proxy.HTTPProxy, c.Proxy.HTTPSProxy
		if c.Proxy.NoProxy != "" {
			o.NoProxy = strings.Split(c.Proxy.NoProxy, ",")
		}
	}
	if c := hc.Spec.OperatorConfiguration; c != nil && c.ClusterNetworkOperator != nil {
		if ovn := c.ClusterNetworkOperator.OVNKubernetesConfig; ovn != nil && ovn.IPv4 != nil {
			o.OVNInternalJoinSubnet = ovn.IPv4.InternalJoinSubnet
			o.OVNInternalTransitSwitchSubnet = ovn.IPv4.InternalTransitSwitchSubnet
		}
	}
	return o
}

// compare adds the fields that differ, among those that the given options write.
func (u *Update) compare(r Request, o options.Validated) error {
	in := objects.Inputs{InfraID: u.Cluster.Spec.InfraID, ReleaseImage: u.Cluster.Spec.Release.Image}
	have, err := content(u.Cluster)
	if err != nil {
		return err
	}
	want, err := content(objects.HostedCluster(o, in))
	if err != nil {
		return err
	}
	for _, m := range []struct {
		name   string
		add    map[string]string
		remove []string
	}{{"labels", o.Labels, r.RemoveLabels}, {"annotations", o.Annotations, r.RemoveAnnotations}} {
		if err := u.compareKeys(have, m.name, m.add, m.remove); err != nil {
			return err
		}
	}
	for _, f := range r.Given {
		if f.Name == "labels" || f.Name == "annotations" {
			continue
		}
		change := fields.Compare(have, want, f.Path(hostedcluster.HostedClusterKind))
		if f.Name == "featureSet" {
			if err := checkFeatureSet(change); err != nil {
				return err
			}
		}
		u.add(change, f.Effect)
	}
	return nil
}

// compareKeys compares the labels or annotations to add and to remove one by one, because other clients write some of
// them.
func (u *Update) compareKeys(have map[string]any, name string, add map[string]string, remove []string) error {
	wanted := map[string]any{}
	for key, value := range add {
		wanted[key] = value
	}
	for _, key := range remove {
		if reserved(key) {
			return failure.New(failure.Misused, hint.Text{}, "%s %s: hcctl and HyperShift work by it; to remove it at your own "+
				"risk: oc edit hostedcluster", hint.Flag("remove-"+name), key)
		}
		if _, both := wanted[key]; both {
			return failure.New(failure.Misused, hint.Text{}, "%s %s: %s sets it: give only one of them",
				hint.Flag("remove-"+name), key, hint.Flag(name))
		}
		wanted[key] = nil
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		keys := []string{"metadata", name, key}
		change := fields.Compare(have, have, keys)
		change.Path, change.Want = fmt.Sprintf("metadata.%s[%s]", name, key), wanted[key]
		u.add(change, option.RestartsNothing)
	}
	return nil
}

func (u *Update) add(c fields.Change, effect option.Effect) {
	if !c.Differs() || slices.ContainsFunc(u.Changes, func(d fields.Change) bool { return d.Path == c.Path }) {
		return
	}
	u.Changes = append(u.Changes, c)
	u.Effect = max(u.Effect, effect)
}

// checkFeatureSet refuses to leave a feature set, which the CRD does not allow.
func checkFeatureSet(c fields.Change) error {
	if is, set := c.Have.(string); set && c.Differs() {
		wanted, _ := c.Want.(string)
		return options.Errorf("featureSet", wanted, "the cluster has %s, which HyperShift does not allow to be removed", is)
	}
	return nil
}

// reserved reports whether hcctl or HyperShift rely on the key.
func reserved(key string) bool {
	return strings.HasPrefix(key, "hcctl.dev/") || strings.Contains(key, "hypershift.openshift.io/")
}

// content returns the JSON of an object as a map.
func content(obj any) (map[string]any, error) {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("HostedCluster: %w", err)
	}
	return m, nil
}
