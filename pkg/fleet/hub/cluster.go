package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Cluster is the state of a hosted cluster as known to the hub.
type Cluster struct {
	Site      string `json:"site"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Environment is the label env; empty for none.
	Environment string        `json:"environment,omitempty"`
	Health      status.Health `json:"health"`
	// Version is the version of the control plane. Desired is the version that it is being updated to.
	Version string `json:"version,omitempty"`
	Desired string `json:"desired,omitempty"`
	// Endpoint is the host of its API server.
	Endpoint string `json:"endpoint,omitempty"`
	// Nodes is the number of nodes; nil until the site reports it. Wanted is the desired number.
	Nodes  *int64 `json:"nodes,omitempty"`
	Wanted int64  `json:"wanted"`
	// Seen is when the hub last heard from the site; nil if never.
	Seen    *time.Time `json:"seen,omitempty"`
	Message string     `json:"message,omitempty"`

	Labels labels.Set `json:"-"`
	// Created is when the cluster was delivered or assigned; zero if that is not known.
	Created time.Time `json:"-"`
	// Creating is set if another client may still be creating the cluster.
	Creating bool `json:"-"`
	// Deleting is set if the cluster is being deleted on the site.
	Deleting bool `json:"-"`
	// Refused is set if the site could not apply all objects. Open Cluster Management's agent does not record
	// what it has applied then, so a deletion may leave some objects on the site.
	Refused bool `json:"-"`
}

// ClusterName returns the name of the cluster.
func (c *Cluster) ClusterName() fleet.ClusterName {
	return fleet.ClusterName{Namespace: c.Namespace, Name: c.Name}
}

// Subject returns the name of the cluster in steps, events and tables.
func (c *Cluster) Subject() string { return c.Namespace + "/" + c.Name }

// listedWork has the fields that a list of ManifestWorks needs.
type listedWork struct {
	Metadata struct {
		Name, Namespace   string
		Labels            labels.Set
		Generation        int64
		CreationTimestamp metav1.Time
		DeletionTimestamp *metav1.Time
	}
	Spec struct {
		Workload struct{ Manifests []listedManifest }
	}
	Status workv1.ManifestWorkStatus
}

// object returns the metadata that conditions are compared with.
func (w *listedWork) object() metav1.Object {
	return &metav1.ObjectMeta{Generation: w.Metadata.Generation, DeletionTimestamp: w.Metadata.DeletionTimestamp}
}

// listedManifest has the fields of a manifest that a list needs.
type listedManifest struct{ manifestFields }

type manifestFields struct {
	Kind     string
	Metadata struct {
		Name        string
		Annotations map[string]string
	}
	Spec struct {
		Replicas    *int64
		AutoScaling *struct{ Min int64 }
	}
}

// UnmarshalJSON ignores fields of a wrong type: no schema validates a manifest, and a malformed one must not
// hide all other clusters.
func (m *listedManifest) UnmarshalJSON(data []byte) error {
	err := json.Unmarshal(data, &m.manifestFields)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return nil
	}
	return err
}

// Fleet holds the sites and hosted clusters that the hub knows.
type Fleet struct {
	Sites    map[string]*Site
	Clusters []*Cluster
	// Now is the hub's time.
	Now time.Time
}

// Read reads the sites and hosted clusters of a hub, the least healthy first. A site cannot hide its own cluster
// by changing labels, nor name one of another site. The error is NoHub or that of a read.
func Read(ctx context.Context, c *kube.Client) (*Fleet, error) {
	sites, err := Sites(ctx, c)
	if err != nil {
		return nil, err
	}
	assignments, err := assigned(ctx, c)
	if err != nil {
		return nil, err
	}
	f := &Fleet{Sites: sites}
	at := map[fleet.ClusterName][]string{}
	var secrets []*Cluster
	err = kube.ListDecoded(ctx, c, kube.ManifestWork, func(w *listedWork) {
		if name, alone := secretsOf(w.Metadata.Name); alone {
			secrets = append(secrets, &Cluster{Site: w.Metadata.Namespace, Namespace: name.Namespace, Name: name.Name,
				Health: status.Warning, Message: "only its Secrets are on the hub",
				Created: w.Metadata.CreationTimestamp.Time})
		}
		name, ours := ClusterOf(w.Metadata.Name)
		if !ours {
			return
		}
		at[name] = append(at[name], w.Metadata.Namespace)
		f.Clusters = append(f.Clusters, judge(name, w, sites[w.Metadata.Namespace], c.Now()))
	})
	if err != nil {
		return nil, fmt.Errorf("list ManifestWorks: %w", err)
	}
	f.Now = c.Now()
	for name, site := range assignments {
		if site == "" {
			wrong := badAssignment(name)
			f.Clusters = append(f.Clusters, &Cluster{Namespace: name.Namespace, Name: name.Name, Health: status.Broken,
				Message: wrong.Error() + "; " + failure.Hint(wrong).String()})
			continue
		}
		secrets = append(secrets, &Cluster{Site: site, Namespace: name.Namespace, Name: name.Name, Health: status.Warning,
			Message: fmt.Sprintf("assigned to this site, and not delivered: run %s again, or delete it",
				hint.Run("apply").Flag("hub"))})
	}
	for _, left := range secrets {
		if name := left.ClusterName(); !slices.Contains(at[name], left.Site) {
			at[name] = append(at[name], left.Site)
			left.withSite(sites[left.Site], f.Now)
			f.Clusters = append(f.Clusters, left)
		}
	}
	f.several()
	slices.SortFunc(f.Clusters, func(a, b *Cluster) int {
		return cmp.Or(b.Health.Compare(a.Health), cmp.Compare(a.Subject(), b.Subject()), cmp.Compare(a.Site, b.Site))
	})
	return f, nil
}

// several marks the clusters that are on several sites. A cluster that was moved away from a lost site is
// deleted there as soon as the site is back.
func (f *Fleet) several() {
	live := map[fleet.ClusterName][]string{}
	for _, one := range f.Clusters {
		if !one.Deleting {
			live[one.ClusterName()] = append(live[one.ClusterName()], one.Site)
		}
	}
	for _, one := range f.Clusters {
		if both := live[one.ClusterName()]; len(both) > 1 {
			slices.Sort(both)
			one.Health = status.Broken
			one.Message = "assigned to several sites: " + strings.Join(both, ", ")
		}
	}
}

// Current returns the row of a hosted cluster that a command works on: one that is not being deleted is
// preferred. It returns an error if there are several.
func Current(rows []*Cluster) (*Cluster, error) {
	var current *Cluster
	for _, one := range rows {
		switch {
		case one.Site == "":
			return nil, fmt.Errorf("%s %w", one.Subject(), badAssignment(one.ClusterName()))
		case current == nil || current.Deleting && !one.Deleting:
			current = one
		case current.Deleting == one.Deleting:
			return nil, fmt.Errorf("%s is assigned to several sites, %s and %s: hcctl changes neither", one.Subject(),
				current.Site, one.Site)
		}
	}
	return current, nil
}

// slowAfter is the time after which something in progress counts as failing.
const slowAfter = 30 * time.Minute

// judge returns the health of a hosted cluster by what the hub knows.
func judge(name fleet.ClusterName, w *listedWork, site *Site, now time.Time) *Cluster {
	c := &Cluster{Site: w.Metadata.Namespace, Namespace: name.Namespace, Name: name.Name, Labels: w.Metadata.Labels,
		Environment: w.Metadata.Labels[EnvironmentLabel], Health: status.OK,
		Created: w.Metadata.CreationTimestamp.Time, Deleting: w.Metadata.DeletionTimestamp != nil}
	feedback := ReadFeedback(name, w.Status.ResourceStatus.Manifests)
	c.Endpoint = feedback.Endpoint()
	version, complete := feedback.Version()
	if c.Version = version; !complete {
		c.Version, c.Desired = "", version
	}
	stopped := c.count(w.Spec.Workload.Manifests, feedback)
	underWay := status.Progressing
	if now.Sub(w.Metadata.CreationTimestamp.Time) > slowAfter {
		underWay = status.Failing
	}
	serves, _, _ := feedback.Available()
	created := c.Version != "" || c.Wanted == 0 && serves == "True"
	c.Creating = !c.Deleting && !created && hostedcluster.IsYoung(c.Created, now)
	why := refused(w.object(), &w.Status)
	c.Refused = why != ""
	switch available, reason, message := feedback.Available(); {
	case w.Metadata.DeletionTimestamp != nil:
		c.Health, c.Message = status.Progressing, "being deleted"
	case !applied(w.object(), w.Status.Conditions):
		c.Health, c.Message = status.Progressing, "not applied on the site yet"
		if why != "" {
			c.Health, c.Message = status.Failing, why
		}
	case available == "":
		c.Health, c.Message = underWay, "the site has reported nothing yet"
	case feedback.Invalid() != "":
		c.Health, c.Message = status.Failing, "ValidConfiguration False ("+feedback.Invalid()+")"
	case available != "True":
		c.Health, c.Message = underWay, strings.TrimSpace(fmt.Sprintf("not available (%s) %s", reason, message))
	case feedback.Degraded() != "":
		c.Health, c.Message = status.Failing, "Degraded ("+feedback.Degraded()+")"
	case c.Desired != "":
		c.Health, c.Message = underWay, "control plane goes to "+c.Desired
	case c.Nodes == nil || *c.Nodes < c.Wanted:
		c.Health, c.Message = underWay, "nodes are missing"
	case stopped:
		c.Health, c.Message = status.Warning, "stopped"
	}
	c.withSite(site, now)
	return c
}

// count counts the nodes, and reports whether the workers are stopped.
func (c *Cluster) count(manifests []listedManifest, feedback Feedback) (stopped bool) {
	all, known := int64(0), true
	for i := range manifests {
		m := &manifests[i]
		if m.Kind != kube.NodePool.Kind {
			continue
		}
		if _, remembered := m.Metadata.Annotations[hostedcluster.StoppedAnnotation]; remembered {
			stopped = true
		}
		switch {
		case m.Spec.AutoScaling != nil:
			c.Wanted += m.Spec.AutoScaling.Min
		case m.Spec.Replicas != nil:
			c.Wanted += *m.Spec.Replicas
		}
		nodes := feedback.Pools[m.Metadata.Name].Nodes
		if nodes == nil {
			known = false
			continue
		}
		all += *nodes
	}
	if known {
		c.Nodes = &all
	}
	return stopped
}

// withSite adds the state of the site: a cluster on a lost site is unknown, with its last known health.
func (c *Cluster) withSite(site *Site, now time.Time) {
	if site == nil {
		c.Health, c.Message = status.Broken, "ManagedCluster "+c.Site+" is gone"
		return
	}
	if !site.Seen.IsZero() {
		c.Seen = &site.Seen
	}
	if !site.Lost() {
		return
	}
	known := "nothing is known"
	if age, heard := site.Age(now); heard {
		known = fmt.Sprintf("%s ago it was %s", age, c.Health)
		if c.Message != "" {
			known += ": " + c.Message
		}
	}
	c.Health = status.Unknown
	c.Message = fmt.Sprintf("site %s is not available (%s); %s", c.Site, site.Reason, known)
}

// applied reports whether the site has applied this generation of a ManifestWork.
func applied(work metav1.Object, conditions []metav1.Condition) bool {
	return kube.ConditionOf(work, conditions, workv1.WorkApplied).True()
}
