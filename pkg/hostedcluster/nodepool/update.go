package nodepool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/fields"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// UpdateFields are the options that can be changed in an existing pool: all except its name, its size (scale), its
// release (upgrade), immutable fields of the CRD, and ConfigMaps with configurations.
func UpdateFields() []options.Field { return option.Updatable(options.NodePoolFields()) }

// FieldChange is a change of one field of a NodePool.
type FieldChange struct {
	fields.Change
	// Recreates is set if the change replaces the pool's VMs.
	Recreates bool
}

// Update is a prepared change of a NodePool's fields.
type Update struct {
	target
	// Changes are the fields that differ.
	Changes []FieldChange
	// Notes are messages for the user before the confirmation.
	Notes []string
	// Wait is WaitNone or WaitNodes.
	Wait Wait
}

// Recreates returns the changes that replace VMs.
func (u *Update) Recreates() []FieldChange {
	return slices.DeleteFunc(slices.Clone(u.Changes), func(f FieldChange) bool { return !f.Recreates })
}

// PrepareUpdate finds the pool, determines its changes, and only reads. overlay sets the options that the user gave,
// and given lists their rows. Labels are added to the existing ones, and labels in remove are removed; any other value
// replaces the existing one.
// It returns a *hostedcluster.PoolNotFoundError, *hostedcluster.PausedError or *options.Error, a *PlacementError if VMs
// are replaced and the one more VM that this needs cannot be placed, or the error of a read.
func PrepareUpdate(ctx context.Context, c *kube.Client, namespace, name string, given []options.Field,
	overlay func(*options.NodePool), remove []string, wait Wait) (*Update, error) {
	t, err := find(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	if err := t.checkWritable(c.Now()); err != nil {
		return nil, err
	}
	o := optionsOf(t.Pool)
	if err := keepPlacement(&o, t.Pool.Annotations[hyperv1.JSONPatchAnnotation], given); err != nil {
		return nil, fmt.Errorf("NodePool %s, annotation %s: %w", kube.Name(t.Pool), hyperv1.JSONPatchAnnotation, err)
	}
	overlay(&o)
	valid, err := o.Validate()
	if err != nil {
		return nil, err
	}
	u := &Update{target: t, Wait: wait}
	made, err := creation.PrepareNodePool(c, t.Cluster, valid, t.Pool.Spec.Release.Image)
	if err != nil {
		return nil, err
	}
	if err := u.compare(made.Pool, given, remove); err != nil {
		return nil, err
	}
	u.note()
	return u, u.checkReplacement(ctx)
}

// keepPlacement copies the part of the pool's patch that the given options do not write into o: with --spread
// everything but the spreading, with other options of the patch the spreading.
func keepPlacement(o *options.NodePool, patch string, given []options.Field) error {
	var writes, spreads, others bool
	for _, f := range given {
		keys := f.Path("NodePool")
		is := len(keys) > 0 && keys[len(keys)-1] == hyperv1.JSONPatchAnnotation
		writes, spreads, others = writes || is, spreads || is && f.Name == "spread", others || is && f.Name != "spread"
	}
	if !writes {
		return nil
	}
	written, err := placement.Read(patch)
	if err != nil {
		return err
	}
	if !spreads {
		o.Spread = strings.Fields(placement.Join(written.PoolSpread))
		return nil
	}
	if others {
		return nil
	}
	rest, err := placement.Foreign(patch)
	if err != nil || len(rest) == 0 {
		return err
	}
	o.VMJSONPatch = options.File{Path: "the patch of the pool"}
	o.VMJSONPatch.Content, err = json.Marshal(rest)
	return err
}

// optionsOf returns the default options with the pool's own settings that the validation of other options needs.
func optionsOf(np *hyperv1.NodePool) options.NodePool {
	o := options.DefaultNodePool()
	o.Name, o.Arch = np.Name, np.Spec.Arch
	k := np.Spec.Platform.Kubevirt
	if k == nil {
		return o
	}
	if k.Compute != nil && k.Compute.QosClass != nil {
		o.QoSClass = string(*k.Compute.QosClass)
	}
	o.AttachDefaultNetwork = ptr.Deref(k.AttachDefaultNetwork, true)
	for _, n := range k.AdditionalNetworks {
		o.AdditionalNetwork = append(o.AdditionalNetwork, "name:"+n.Name)
	}
	return o
}

// compare adds the fields that differ, among those that the given options write.
func (u *Update) compare(wanted *hyperv1.NodePool, given []options.Field, remove []string) error {
	have, err := values(u.Pool)
	if err != nil {
		return err
	}
	want, err := values(wanted)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, f := range given {
		keys := f.Path("NodePool")
		change := FieldChange{Change: fields.Compare(have, want, keys), Recreates: f.Effect == option.ReplacesVMs}
		if f.Name == "nodeLabels" {
			change.Want = fields.Merged(change.Have, change.Want, nil)
		}
		if !seen[change.Path] && change.Differs() {
			u.Changes = append(u.Changes, change)
		}
		seen[change.Path] = true
	}
	u.removeLabels(have, remove)
	return nil
}

// removeLabels removes node labels, in the same change that adds others.
func (u *Update) removeLabels(have map[string]any, remove []string) {
	if len(remove) == 0 {
		return
	}
	change := FieldChange{Change: fields.Compare(have, have, []string{"spec", "nodeLabels"})}
	i := slices.IndexFunc(u.Changes, func(f FieldChange) bool { return f.Path == change.Path })
	if i >= 0 {
		change = u.Changes[i]
	}
	change.Want = fields.Merged(change.Want, nil, remove)
	switch {
	case !change.Differs():
	case i >= 0:
		u.Changes[i] = change
	default:
		u.Changes = append(u.Changes, change)
	}
}

func (u *Update) note() {
	for _, f := range u.Changes {
		switch {
		case f.Path == "spec.nodeLabels" || f.Path == "spec.taints":
			u.Notes = append(u.Notes, f.Path+" is guaranteed only for nodes that join from now on; existing nodes may keep "+
				"what they have")
		case f.Keys[len(f.Keys)-1] == hyperv1.JSONPatchAnnotation && f.Have != nil:
			u.Notes = append(u.Notes, "the annotation "+hyperv1.JSONPatchAnnotation+
				" is replaced as a whole: its former value is lost")
		}
	}
	// Assumed: Cluster API's MachineSet, which HyperShift uses for InPlace, does not replace machines whose template
	// changed. The note says "may", because this was not tested on a cluster.
	if len(u.Recreates()) > 0 && u.Pool.Spec.Management.UpgradeType == hyperv1.UpgradeTypeInPlace {
		u.Notes = append(u.Notes, "the pool is upgraded in place (upgradeType InPlace): its VMs may keep what they have "+
			"until they are recreated")
	}
}

// Steps returns the steps that write the fields, and wait for the pool as far as Wait requires.
func (u *Update) Steps() []step.Step {
	const id step.ID = "pool/fields"
	steps := []step.Step{{
		ID: id, Title: "NodePool " + u.Pool.Name +
			" has the new settings", Group: poolGroup, Check: u.client.Reading(u.updated), Apply: u.update,
	}}
	if u.Wait == WaitNone {
		return steps
	}
	return append(steps, u.follow(poolPrefix, nil, id)...)
}

// values converts a NodePool into unstructured content.
func values(np *hyperv1.NodePool) (map[string]any, error) {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(np)
	if err != nil {
		return nil, fmt.Errorf("NodePool %s: %w", kube.Name(np), err)
	}
	return m, nil
}

func (u *Update) updated(ctx context.Context, r kube.Reader) step.Finding {
	np, f := hostedcluster.Reread(ctx, r, u.Pool)
	if np == nil {
		return f
	}
	now, err := values(np)
	if err != nil {
		return step.Unknown("%v", err).On("NodePool %s", kube.Name(np))
	}
	return fields.Made(u.changes(), now).On("NodePool %s", kube.Name(np))
}

func (u *Update) changes() []fields.Change {
	all := make([]fields.Change, 0, len(u.Changes))
	for i := range u.Changes {
		all = append(all, u.Changes[i].Change)
	}
	return all
}

func (u *Update) update(ctx context.Context) (step.Change, error) {
	np := &hyperv1.NodePool{}
	if err := u.client.Get(ctx, client.ObjectKeyFromObject(u.Pool), np); err != nil {
		return "", fmt.Errorf("NodePool %s: %w", kube.Name(u.Pool), err)
	}
	now, err := values(np)
	if err != nil {
		return "", err
	}
	patch, err := fields.Patch("NodePool "+kube.Name(np), now, u.changes())
	if err != nil {
		return "", err
	}
	return hostedcluster.Edit(ctx, u.client, np, patch)
}
