package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// ApplyOptions are the options of PrepareApply.
type ApplyOptions struct {
	// Placement selects the sites of clusters that have none. It is read only if there are such clusters.
	Placement types.NamespacedName
	// CopySecrets delivers the clusters' Secrets to their sites in separate ManifestWorks. Without it the
	// Secrets must exist on the site.
	CopySecrets bool
	// MoveFrom is a lost site whose clusters are created anew, empty, on another site. Empty moves nothing.
	MoveFrom string
	// Wait is how far each cluster is followed.
	Wait options.Wait
	// Parallel is the maximum number of clusters that are prepared at the same time.
	Parallel int
}

// Member is one cluster of an Apply.
type Member struct {
	fleet.ClusterName
	Site string
	// New is set if the cluster has no ManifestWork yet. Moved is set if it is created anew because its site is
	// lost.
	New, Moved bool
	// Left are the fields that differ from the request and stay unchanged.
	Left []string
	// FirstSecrets is set if the site gets the cluster's Secrets, and has none of any cluster from hcctl yet.
	FirstSecrets bool
}

// Apply is many clusters to create through a hub.
type Apply struct {
	*fleet.Each
	// Plans are the plans by the clusters' subjects, without clusters that could not be prepared.
	Plans map[string]Member
	// Uncounted are the sites that new clusters may get although their room is unknown, each with the reason.
	Uncounted map[string]string
	// sites are the steps that deliver the sites' counts to the hub.
	sites []step.Step
}

// PrepareApply finds the site of each cluster, assigns those without one, and makes the steps that deliver them.
// It only reads. The options of each cluster need an InfraID, so that a second run delivers the same objects. A
// problem of one cluster is in its fleet.Member; the error concerns all.
func PrepareApply(ctx context.Context, c *kube.Client, wanted []fleet.DesiredCluster, opt ApplyOptions) (*Apply,
	error) {
	sites, err := Sites(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := movable(sites, opt.MoveFrom); err != nil {
		return nil, err
	}
	at, err := locations(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := refuseHosted(ctx, c, sites, at); err != nil {
		return nil, err
	}
	names, byName := make([]fleet.ClusterName, len(wanted)), map[fleet.ClusterName]fleet.DesiredCluster{}
	var unassigned []fleet.ClusterName
	for i, w := range wanted {
		names[i] = fleet.ClusterName{Namespace: w.Options.Namespace, Name: w.Options.Name}
		byName[names[i]] = w
		if site, err := at[names[i]].site(opt.MoveFrom); site == "" && err == nil {
			unassigned = append(unassigned, names[i])
		}
	}
	out := &Apply{Plans: map[string]Member{}}
	chosen, err := out.choose(ctx, c, byName, unassigned, at, sites, opt)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	out.Each, err = fleet.PrepareEach(ctx, names, max(1, opt.Parallel), func(n fleet.ClusterName) ([]step.Step, error) {
		d := delivery{client: c, wait: opt.Wait, Member: Member{ClusterName: n, Site: chosen[n]}}
		if err := d.find(at[n], opt.MoveFrom, sites); err != nil {
			return nil, err
		}
		if err := d.build(ctx, byName[n], opt.CopySecrets); err != nil {
			return nil, err
		}
		d.FirstSecrets = d.secrets != nil && !hasSecrets(at, d.Site)
		mu.Lock()
		defer mu.Unlock()
		out.Plans[n.Namespace+"/"+n.Name] = d.Member
		return d.steps(), nil
	})
	return out, err
}

// movable returns an error if the site to move clusters from is available.
func movable(sites map[string]*Site, from string) error {
	if from == "" {
		return nil
	}
	if site := sites[from]; site != nil && !site.Lost() {
		return &NoSiteError{fmt.Sprintf("ManagedCluster %s is available: nothing is moved from it", from),
			hint.New("delete a cluster by %s, and apply it again, to have it elsewhere",
				hint.Run("delete clusters").Flag("hub"))}
	}
	return nil
}

// choose assigns the clusters that have no site.
func (a *Apply) choose(ctx context.Context, c *kube.Client, wanted map[fleet.ClusterName]fleet.DesiredCluster,
	unassigned []fleet.ClusterName, at map[fleet.ClusterName]location, sites map[string]*Site, opt ApplyOptions) (
	map[fleet.ClusterName]string, error) {
	if len(unassigned) == 0 {
		return nil, nil
	}
	if opt.Placement.Name == "" {
		return nil, &NoSiteError{fmt.Sprintf("%s/%s has no management cluster yet, and no Placement is named that "+
			"chooses one", unassigned[0].Namespace, unassigned[0].Name),
			hint.New("%s NAMESPACE/NAME names one; docs/fleets.md has an example", hint.Flag("placement"))}
	}
	chosen, err := place(ctx, c, unassigned, at, sites, scoreFor(wanted, unassigned), opt)
	if err != nil {
		return nil, err
	}
	a.sites, a.Uncounted = chosen.steps(c), chosen.uncounted()
	return chosen.at, nil
}

// delivery is the delivery of one cluster to its site.
type delivery struct {
	Member
	client *kube.Client
	wait   options.Wait
	// from is the site that a moved cluster leaves; empty for none.
	from string
	// objects are the objects of a new cluster. adjust selects the settings of existing pools to change.
	objects []*unstructured.Unstructured
	adjust  map[string]creation.Adjust
	secrets *workv1.ManifestWork
}

// find sets the site of a cluster: its current site, or else the chosen one.
func (d *delivery) find(at location, moveFrom string, sites map[string]*Site) error {
	site, err := at.site(moveFrom)
	var busy *deletingError
	if errors.As(err, &busy) {
		if s := sites[busy.site]; s == nil || s.Lost() {
			busy.lost = true
		}
	}
	if err != nil {
		return fmt.Errorf("%s %w", d.subject(), err)
	}
	if site != "" {
		d.Site = site
	}
	if moveFrom != "" && at.has(moveFrom) {
		d.from, d.Moved = moveFrom, true
	}
	if d.Site == "" {
		return &NoSiteError{"no management cluster that the Placement has chosen has room for " + d.subject(),
			hint.New("%s shows the sites", hint.Run("status").Flag("hub"))}
	}
	if s := sites[d.Site]; s != nil && s.Refused != "" {
		return &NoSiteError{fmt.Sprintf("%s is assigned to ManagedCluster %s, which gets no hosted cluster: %s", d.subject(),
			d.Site, s.Refused), hint.New("%s, and apply it again, assigns it anew", hint.Run("delete clusters").Flag("hub"))}
	}
	return nil
}

func (d *delivery) subject() string { return d.Namespace + "/" + d.Name }

// build makes the objects to deliver.
func (d *delivery) build(ctx context.Context, wanted fleet.DesiredCluster, copySecrets bool) error {
	var secrets, have []*unstructured.Unstructured
	var err error
	if d.objects, secrets, err = rendered(wanted.Options, copySecrets); err != nil {
		return err
	}
	d.adjust = map[string]creation.Adjust{}
	for i, pool := range wanted.Options.NodePools {
		d.adjust[pool.Name] = wanted.Adjust[i]
	}
	current := &workv1.ManifestWork{}
	err = d.client.Get(ctx, client.ObjectKey{Namespace: d.Site, Name: WorkName(d.ClusterName)}, current)
	switch d.New = err != nil; {
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("read ManifestWork %s/%s: %w", d.Site, WorkName(d.ClusterName), err)
	case err == nil:
		if have, err = manifests(current); err != nil {
			return err
		}
	}
	merged, left, err := merge(have, d.objects, d.adjust)
	if err != nil {
		return err
	}
	d.Left = left
	if _, err := newWork(d.Site, d.ClusterName, nil, merged); err != nil {
		return err
	}
	if len(secrets) > 0 {
		d.secrets, err = newSecrets(d.Site, d.ClusterName, secrets)
	}
	return err
}

// labelsOf returns the labels of the HostedCluster. Its ManifestWork has them too, for selectors.
func labelsOf(objects []*unstructured.Unstructured) map[string]string {
	for _, u := range objects {
		if u.GetKind() == kube.HostedCluster.Kind {
			return u.GetLabels()
		}
	}
	return nil
}

// rendered returns the objects of a new cluster, and, if they are copied, its Secrets with their namespace.
func rendered(o options.Validated, copySecrets bool) (objects, secrets []*unstructured.Unstructured, err error) {
	if err := unsupported(o); err != nil {
		return nil, nil, err
	}
	r, err := creation.Render(o, copySecrets)
	if err != nil {
		return nil, nil, err
	}
	all, err := plain(r.Objects)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range all {
		if isSecret(u) {
			secrets = append(secrets, u)
			continue
		}
		objects = append(objects, u)
		if copySecrets && u.GetKind() == namespaceKind.Kind {
			secrets = append(secrets, u)
		}
	}
	return objects, secrets, nil
}

// unsupported returns an error for options that hcctl applies through the hosted API server, which it does not
// reach through a hub.
func unsupported(o options.Validated) error {
	var given []string
	for name, wanted := range map[string]bool{
		"cni": len(o.CNI) > 0, "guestManifests": len(o.GuestManifests) > 0, "nodeTopology": len(o.NodeTopology) > 0,
		"jumpHost": o.TenantServices.JumpHost != nil, "dex": o.TenantServices.Dex != nil,
		"identity": o.TenantServices.Identity != nil,
	} {
		if wanted {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		return nil
	}
	slices.Sort(given)
	return &options.Error{Field: given[0],
		Detail: fmt.Sprintf("not with %s: hcctl brings it after the hosted API server answers, and a hub does not reach "+
			"that one (%s)", hint.Flag("hub"), strings.Join(given, ", ")),
		Next: hint.New("run %s without %s on the management cluster afterwards", hint.Run("apply"), hint.Flag("hub"))}
}
