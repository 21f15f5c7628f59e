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

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// What the operator notes on a NodePool once a roll-out is complete, and compares with to tell one that is under way.
const (
	currentConfigAnnotation   = "hypershift.openshift.io/nodePoolCurrentConfig"
	currentVersionAnnotation  = "hypershift.openshift.io/nodePoolCurrentConfigVersion"
	currentTemplateAnnotation = "hypershift.openshift.io/nodePoolPlatformMachineTemplate"
)

// template is what a pool's machines are to be made from.
type template struct {
	payload release.Payload
	// config is the hash of the machine configuration without the version, configVersion that with it.
	config, configVersion string
	// name is the machine template's: it changes with whatever of the platform makes machines be replaced.
	name string
	// hash tells machines of different templates apart.
	hash string
}

// templateOf puts together what the NodePool's machines are to be made from. The configuration is that of the
// ConfigMaps the pool names; which of them is missing is the error.
func (r *nodePools) templateOf(ctx context.Context, np *hyperv1.NodePool, payload release.Payload) (template, error) {
	platform, err := json.Marshal(np.Spec.Platform.Kubevirt)
	if err != nil {
		return template{}, fmt.Errorf("encode the platform of NodePool %s/%s: %w", np.Namespace, np.Name, err)
	}
	config, err := r.machineConfig(ctx, np)
	if err != nil {
		return template{}, err
	}
	t := template{payload: payload, config: metadata.ShortHash(config, 8),
		configVersion: metadata.ShortHash(config+payload.Version, 8)}
	// The boot image is part of a machine template, so another release is another template too.
	t.name = np.Name + "-" + metadata.ShortHash(bootImage(np, payload.Version)+string(platform), 8)
	t.hash = metadata.ShortHash(t.configVersion+t.name, 5)
	return t, nil
}

// machineConfig is the contents of the ConfigMaps in spec.config and spec.tuningConfig, in order.
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

// pace is how a pool replaces its machines.
type pace struct {
	desired int
	// surge is how many more than desired there may be, unavailable how many fewer healthy ones.
	surge, unavailable int
	// onDelete: old machines stay until somebody deletes them.
	onDelete bool
	// inPlace: machines are never replaced, their nodes are updated.
	inPlace bool
}

// paceOf reads spec.management. Cluster API rounds a percentage of maxSurge up and one of maxUnavailable down; the
// defaults are 1 and 0. An upgrade in place takes one node at a time unless told otherwise.
func paceOf(np *hyperv1.NodePool, desired int) (pace, error) {
	p := pace{desired: desired, surge: 1, inPlace: np.Spec.Management.UpgradeType == hyperv1.UpgradeTypeInPlace}
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
				return pace{}, err
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
			return pace{}, err
		}
		if err := scaled(&p.unavailable, u.MaxUnavailable, false); err != nil {
			return pace{}, err
		}
	}
	if p.surge == 0 && p.unavailable == 0 {
		p.unavailable = 1
	}
	return p, nil
}

// steps are what steer is about to do: how many machines to create, and which to remove by index.
type steps struct {
	create int
	remove []int
}

// plan decides on the next steps towards the desired number of machines made from the template with this hash.
func plan(machines []machine, hash string, p pace) steps {
	var fresh, old []int
	healthy := 0
	for i := range machines {
		if machines[i].leaving() {
			continue
		}
		if p.inPlace || machines[i].of(hash) {
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
	// What is not healthy goes first; a healthy old one only when enough others are.
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
