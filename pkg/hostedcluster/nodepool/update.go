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

// UpdateFields are the options of a pool that can be changed while it lives: all but its name, its size (scale), its
// release (upgrade), what the CRD lets nobody change, and ConfigMaps with configurations.
func UpdateFields() []options.Field { return option.Updatable(options.NodePoolFields()) }

// FieldChange is one field of a NodePool that is to be changed.
type FieldChange struct {
	fields.Change
	// Recreates is whether the pool's VMs are made anew because of it.
	Recreates bool
}

// Update is a change of a NodePool's fields that was decided on.
type Update struct {
	target
	// Changes are the fields that differ.
	Changes []FieldChange
	// Notes are what a user should know before they say yes.
	Notes []string
	// Wait is WaitNone or WaitNodes.
	Wait Wait
}

// Recreates are the changes that make VMs anew.
func (u *Update) Recreates() []FieldChange {
	return slices.DeleteFunc(slices.Clone(u.Changes), func(f FieldChange) bool { return !f.Recreates })
}

// PrepareUpdate finds the pool and decides what is to be changed, reading only. overlay sets the options that were
// given, of which given lists the descriptions. Labels are added to those there are, and those named in remove are
// taken away; all else replaces what there is. It fails with *hostedcluster.PoolNotFoundError,
// *hostedcluster.PausedError or *options.Error, with *PlacementError if VMs are recreated and the one more that this
// takes finds no place, or with the error of a read.
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

// keepPlacement has the options say what the pool's patch says beside what is given: with --spread all else of the
// patch stays, and with any other option that is written there its spreading.
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

// optionsOf returns the defaults, with the pool's own settings that other options are validated against.
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

// compare lists the fields that differ, among those that the given options write.
func (u *Update) compare(wanted *hyperv1.NodePool, given []options.Field, remove []string) error {
	have, err := runtime.DefaultUnstructuredConverter.ToUnstructured(u.Pool)
	if err != nil {
		return fmt.Errorf("NodePool %s: %w", kube.Name(u.Pool), err)
	}
	want, err := runtime.DefaultUnstructuredConverter.ToUnstructured(wanted)
	if err != nil {
		return fmt.Errorf("NodePool %s: %w", kube.Name(u.Pool), err)
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
	// Assumed: Cluster API's MachineSet, which HyperShift uses for InPlace, leaves machines alone whose template
	// changed. The note says "may", as no cluster was looked at.
	if len(u.Recreates()) > 0 && u.Pool.Spec.Management.UpgradeType == hyperv1.UpgradeTypeInPlace {
		u.Notes = append(u.Notes, "the pool is upgraded in place (upgradeType InPlace): its VMs may keep what they have "+
			"until they are recreated")
	}
}

// Steps write the fields, and follow the pool as far as Wait says.
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

// values is the NodePool as unstructured content.
func (u *Update) values(np *hyperv1.NodePool) (map[string]any, error) {
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
	now, err := u.values(np)
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
	now, err := u.values(np)
	if err != nil {
		return "", err
	}
	patch, err := fields.Patch("NodePool "+kube.Name(np), now, u.changes())
	if err != nil {
		return "", err
	}
	return hostedcluster.Edit(ctx, u.client, np, patch)
}
