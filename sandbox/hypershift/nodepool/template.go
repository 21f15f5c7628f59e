package nodepool

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// The operator's annotations on a NodePool after a complete roll-out. Differences to them show a roll-out in progress.
const (
	currentConfigAnnotation   = "hypershift.openshift.io/nodePoolCurrentConfig"
	currentVersionAnnotation  = "hypershift.openshift.io/nodePoolCurrentConfigVersion"
	currentTemplateAnnotation = "hypershift.openshift.io/nodePoolPlatformMachineTemplate"
)

// template is what a pool's machines are made from.
type template struct {
	payload release.Payload
	// config is the hash of the machine configuration without the version, configVersion with it. Another release has
	// another config all the same: the image of its proxy to the API server is in it.
	config, configVersion string
	// name is the machine template's name. It changes with every platform field that requires new machines.
	name string
	// hash identifies the template of a machine.
	hash string
}

// templateOf returns the template of the NodePool's machines. It fails if a ConfigMap of the configuration is missing.
func (r *nodePools) templateOf(ctx context.Context, np *hyperv1.NodePool, payload release.Payload) (template, error) {
	platform, err := json.Marshal(np.Spec.Platform.Kubevirt)
	if err != nil {
		return template{}, fmt.Errorf("encode the platform of NodePool %s/%s: %w", np.Namespace, np.Name, err)
	}
	config, err := r.machineConfig(ctx, np)
	if err != nil {
		return template{}, err
	}
	t := template{payload: payload, config: metadata.ShortHash(config+"haproxy/"+payload.Version, 8),
		configVersion: metadata.ShortHash(config+payload.Version, 8)}
	// The boot image is part of the machine template, so another release needs another template.
	t.name = np.Name + "-" + metadata.ShortHash(bootImage(np, payload.Version)+string(platform)+
		np.Annotations[hyperv1.JSONPatchAnnotation], 8)
	t.hash = rand.SafeEncodeString(metadata.ShortHash(t.configVersion+t.name, 5))
	return t, nil
}

// machineConfig returns the contents of the ConfigMaps in spec.config and spec.tuningConfig, in order.
func (r *nodePools) machineConfig(ctx context.Context, np *hyperv1.NodePool) (string, error) {
	var all strings.Builder
	for _, ref := range append(append([]corev1.LocalObjectReference{}, np.Spec.Config...), np.Spec.TuningConfig...) {
		cm := &corev1.ConfigMap{}
		if err := r.Client.Get(ctx, types.NamespacedName{Namespace: np.Namespace, Name: ref.Name}, cm); err != nil {
			return "", fmt.Errorf("failed to get config ConfigMap %s: %w", ref.Name, err)
		}
		keys := make([]string, 0, len(cm.Data))
		for k := range cm.Data {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			all.WriteString(k + "=" + cm.Data[k] + "\n")
		}
	}
	return all.String(), nil
}

// strategy is how a pool replaces its machines.
type strategy struct {
	desired int
	// surge is the allowed number of extra machines, unavailable that of missing healthy ones.
	surge, unavailable int
	// onDelete: old machines stay until a user deletes them.
	onDelete bool
	// inPlace: nodes are updated, and machines are never replaced.
	inPlace bool
}

// strategyOf reads spec.management. Cluster API rounds a percentage of maxSurge up and one of maxUnavailable down; the
// defaults are 1 and 0, and 1 node at a time for upgrades in place.
func strategyOf(np *hyperv1.NodePool, desired int) (strategy, error) {
	p := strategy{desired: desired, surge: 1, inPlace: np.Spec.Management.UpgradeType == hyperv1.UpgradeTypeInPlace}
	scaled := func(to *int, v *intstr.IntOrString, up bool) error {
		if v == nil {
			return nil
		}
		n, err := intstr.GetScaledValueFromIntOrPercent(v, desired, up)
		if err != nil {
			return fmt.Errorf("spec.management of NodePool %s/%s: %w", np.Namespace, np.Name, err)
		}
		*to = n
		return nil
	}
	m := np.Spec.Management
	if p.inPlace {
		if m.InPlace != nil {
			if err := scaled(&p.unavailable, m.InPlace.MaxUnavailable, false); err != nil {
				return strategy{}, err
			}
		}
		p.unavailable = max(1, p.unavailable)
		return p, nil
	}
	if m.Replace == nil {
		return p, nil
	}
	p.onDelete = m.Replace.Strategy == hyperv1.UpgradeStrategyOnDelete
	if u := m.Replace.RollingUpdate; u != nil {
		if err := scaled(&p.surge, u.MaxSurge, true); err != nil {
			return strategy{}, err
		}
		if err := scaled(&p.unavailable, u.MaxUnavailable, false); err != nil {
			return strategy{}, err
		}
	}
	if p.surge == 0 && p.unavailable == 0 {
		p.unavailable = 1
	}
	return p, nil
}

// steps are the next steps of scale: how many machines to create, and which to remove by index.
type steps struct {
	create int
	remove []int
}

// plan returns the next steps towards the desired number of machines with this template hash.
func plan(machines []machine, hash string, p strategy) steps {
	var fresh, old []int
	healthy := 0
	for i := range machines {
		if machines[i].leaving() {
			continue
		}
		if p.inPlace || machines[i].matches(hash) {
			fresh = append(fresh, i)
		} else {
			old = append(old, i)
		}
		if machines[i].healthy() {
			healthy++
		}
	}
	var s steps
	room := p.desired - len(fresh) - len(old)
	if len(old) > 0 && !p.onDelete {
		room += p.surge
	}
	s.create = max(0, min(p.desired-len(fresh), room))
	// Unhealthy machines go first. A healthy old one goes only if enough others are healthy.
	byHealth := func(list []int) {
		sort.SliceStable(list, func(a, b int) bool { return !machines[list[a]].healthy() && machines[list[b]].healthy() })
	}
	byHealth(old)
	byHealth(fresh)
	least := p.desired - p.unavailable
	surplus := len(fresh) + len(old) - p.desired
	for _, i := range old {
		switch {
		case p.onDelete && surplus <= 0:
			continue
		case machines[i].healthy() && healthy <= least && p.desired > 0:
			continue
		case !machines[i].healthy() && len(fresh) == 0 && surplus <= 0 && p.unavailable == 0:
			continue
		case machines[i].healthy():
			healthy--
		}
		surplus--
		s.remove = append(s.remove, i)
	}
	if extra := len(fresh) - p.desired; extra > 0 {
		s.remove = append(s.remove, fresh[:extra]...)
	}
	return s
}
