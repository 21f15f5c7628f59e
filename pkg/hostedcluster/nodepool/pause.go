package nodepool

import (
	"cmp"
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// PausedAnnotation marks a NodePool that was paused together with its cluster. Its value is the spec.pausedUntil to
// restore, or empty if the pool was not paused before.
const PausedAnnotation = "hcctl.dev/paused-until-before"

// ParseUntil parses --until into a value of spec.pausedUntil: empty or "true" for an unlimited pause, a time (RFC
// 3339), or a duration from now, such as "2h". It returns an *options.Error for any other value and for a time in the
// past.
func ParseUntil(value string, now time.Time) (string, error) {
	if value == "" || value == "true" {
		return "true", nil
	}
	if d, err := time.ParseDuration(value); err == nil {
		if d <= 0 {
			return "", options.Errorf("until", value, "give a time that is to come, such as 2h")
		}
		return now.Add(d).UTC().Truncate(time.Second).Format(time.RFC3339), nil
	}
	until, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return "", options.Errorf("until", value, "neither a time as 2026-03-01T10:00:00Z (RFC 3339) nor a duration as 2h "+
			"or 90m")
	}
	if until.UTC().Year() > 9999 {
		return "", options.Errorf("until", value, "is after the year 9999 in UTC")
	}
	if !until.After(now) {
		return "", options.Errorf("until", value, "has passed: nothing would be paused")
	}
	return until.UTC().Format(time.RFC3339), nil
}

// Pausing is a prepared change that pauses or resumes a cluster with its pools.
type Pausing struct {
	client  *kube.Client
	Cluster *hyperv1.HostedCluster
	// Until is the new spec.pausedUntil of the HostedCluster; empty removes it.
	Until string
	Pools []PoolPause
	// Notes are messages for the user: pools that stay paused, and why.
	Notes []string
}

// PoolPause is the change of one pool.
type PoolPause struct {
	Name string
	// Until is the new spec.pausedUntil; empty removes it.
	Until string
	// Remember is the new value of PausedAnnotation; nil removes it.
	Remember *string
	pool     *hyperv1.NodePool
}

// PreparePause prepares a pause and only reads. until comes from ParseUntil. It returns a *hostedcluster.NotFoundError
// or the error of a read.
func PreparePause(ctx context.Context, c *kube.Client, namespace, name, until string) (*Pausing, error) {
	p, pools, err := readPausing(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	p.Until = until
	for i := range pools {
		p.Pools = append(p.Pools, pauseChange(&pools[i], ptr.Deref(p.Cluster.Spec.PausedUntil, ""), until, c.Now()))
	}
	return p, nil
}

// PrepareResume prepares the end of a pause and only reads. It returns the errors of PreparePause.
func PrepareResume(ctx context.Context, c *kube.Client, namespace, name string) (*Pausing, error) {
	p, pools, err := readPausing(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	cluster := ptr.Deref(p.Cluster.Spec.PausedUntil, "")
	for i := range pools {
		change, note := resumeChange(&pools[i], cluster, c.Now())
		if note != "" {
			p.Notes = append(p.Notes, note)
		}
		if change != nil {
			p.Pools = append(p.Pools, *change)
		}
	}
	return p, nil
}

func readPausing(ctx context.Context, c *kube.Client, namespace, name string) (*Pausing, []hyperv1.NodePool, error) {
	hc, err := hostedcluster.Find(ctx, c, namespace, name)
	if err != nil {
		return nil, nil, err
	}
	if hc.DeletionTimestamp != nil {
		return nil, nil, fmt.Errorf("HostedCluster %s is being deleted since %s", kube.Name(hc),
			hc.DeletionTimestamp.UTC().Format(time.RFC3339))
	}
	pools, err := hostedcluster.Pools(ctx, c, namespace, name)
	return &Pausing{client: c, Cluster: hc}, pools, err
}

// pauseChange returns the change of a pool when its cluster is paused; cluster is the cluster's spec.pausedUntil. It
// keeps a value that PausedAnnotation already has, unless the pool's pause was changed since.
func pauseChange(np *hyperv1.NodePool, cluster, until string, now time.Time) PoolPause {
	change := PoolPause{Name: np.Name, Until: until, pool: np}
	own := ptr.Deref(np.Spec.PausedUntil, "")
	if remembered, ok := np.Annotations[PausedAnnotation]; ok && own != "" && (own == cluster || own == until) {
		change.Remember = &remembered
		return change
	}
	before := ""
	if hostedcluster.PauseOf(np.Spec.PausedUntil, now).Active {
		before = own
	}
	change.Remember = &before
	return change
}

// resumeChange returns the change of a pool when its cluster is resumed; cluster is the cluster's spec.pausedUntil. It
// is nil for a pool that is not paused, or was paused separately.
func resumeChange(np *hyperv1.NodePool, cluster string, now time.Time) (change *PoolPause, note string) {
	before, remembered := np.Annotations[PausedAnnotation]
	own := ptr.Deref(np.Spec.PausedUntil, "")
	pause := hostedcluster.PauseOf(np.Spec.PausedUntil, now)
	switch {
	case remembered && before != "" && hostedcluster.PauseOf(&before, now).Active:
		return &PoolPause{Name: np.Name, Until: before, pool: np}, stayNote(np, hostedcluster.PauseOf(&before, now),
			"as it was before its cluster was paused")
	case remembered && cluster != "" && own != cluster && pause.Active:
		return &PoolPause{Name: np.Name, Until: own, pool: np}, stayNote(np, pause,
			"which was set after its cluster was paused")
	case remembered:
		return &PoolPause{Name: np.Name, pool: np}, ""
	case own == "":
		return nil, ""
	case own == cluster:
		// Both were paused together, whatever tool did it.
		return &PoolPause{Name: np.Name, pool: np}, ""
	case pause.Active:
		return nil, stayNote(np, pause, "by itself")
	}
	return nil, ""
}

func stayNote(np *hyperv1.NodePool, pause hostedcluster.Pause, why string) string {
	return fmt.Sprintf("NodePool %s stays paused %s, %s", np.Name, pause, why)
}

// Steps returns the steps that write spec.pausedUntil and wait until the operator reports it. The HostedCluster is
// paused first and resumed last; that distinguishes an interrupted run from a manual pause.
func (p *Pausing) Steps() []step.Step {
	pausing := p.Until != ""
	cluster := step.Step{
		ID: "cluster/paused-until", Title: "HostedCluster " + p.Cluster.Name + " " + pauseWords(p.Until),
		Group: "hosted cluster",
		Check: p.client.Reading(p.clusterSet), Apply: p.setCluster,
	}
	var steps []step.Step
	for _, c := range p.Pools {
		s := step.Step{
			ID: step.ID("pool-" + c.Name + "/paused-until"), Title: "NodePool " + c.Name + " " + pauseWords(c.Until),
			Group: poolGroup,
			Check: p.client.Reading(p.poolSet(c)), Apply: p.setPool(c),
		}
		if pausing {
			s.Needs = []step.ID{cluster.ID}
		} else {
			cluster.Needs = append(cluster.Needs, s.ID)
		}
		steps = append(steps, s)
	}
	acknowledged := step.Step{ID: "cluster/noted", Title: "the HyperShift operator knows", Group: "hosted cluster",
		Needs: []step.ID{cluster.ID}, Check: p.client.Reading(p.acknowledged)}
	if pausing {
		return append([]step.Step{cluster, acknowledged}, steps...)
	}
	return append(steps, cluster, acknowledged)
}

func pauseWords(until string) string {
	switch until {
	case "":
		return "goes on"
	case "true":
		return "is paused"
	}
	return "is paused until " + until
}

// pauseText formats a value of spec.pausedUntil for a user.
func pauseText(value string) string { return cmp.Or(value, "not set") }

func (p *Pausing) clusterSet(ctx context.Context, r kube.Reader) step.Finding {
	hc := &hyperv1.HostedCluster{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(p.Cluster), hc); err != nil {
		return kube.Unknown(err).On("HostedCluster %s", kube.Name(p.Cluster))
	}
	have := ptr.Deref(hc.Spec.PausedUntil, "")
	if have != p.Until {
		return step.Missing("spec.pausedUntil is %s, must become %s", pauseText(have), pauseText(p.Until)).
			On("HostedCluster %s", kube.Name(hc))
	}
	return step.OK("spec.pausedUntil is %s", pauseText(have)).On("HostedCluster %s", kube.Name(hc))
}

func (p *Pausing) setCluster(ctx context.Context) (step.Change, error) {
	hc := &hyperv1.HostedCluster{}
	if err := p.client.Get(ctx, client.ObjectKeyFromObject(p.Cluster), hc); err != nil {
		return "", fmt.Errorf("HostedCluster %s: %w", kube.Name(p.Cluster), err)
	}
	was, is := ptr.Deref(p.Cluster.Spec.PausedUntil, ""), ptr.Deref(hc.Spec.PausedUntil, "")
	if is != was && is != p.Until {
		return "", &hostedcluster.ChangedError{Object: "HostedCluster " + kube.Name(hc), Field: "spec.pausedUntil",
			Was: pauseText(was), Is: pauseText(is)}
	}
	return hostedcluster.Edit(ctx, p.client, hc, map[string]any{"spec": map[string]any{"pausedUntil": orNil(p.Until)}})
}

func (p *Pausing) poolSet(c PoolPause) kube.Check {
	t := target{client: p.client, Pool: c.pool}
	return func(ctx context.Context, r kube.Reader) step.Finding {
		np, f := hostedcluster.Reread(ctx, r, t.Pool)
		if np == nil {
			return f
		}
		have := ptr.Deref(np.Spec.PausedUntil, "")
		remembered, ok := np.Annotations[PausedAnnotation]
		switch {
		case have != c.Until:
			return step.Missing("spec.pausedUntil is %s, must become %s", pauseText(have), pauseText(c.Until)).
				On("NodePool %s", kube.Name(np))
		case ok != (c.Remember != nil), ok && remembered != *c.Remember:
			return step.Missing("what it had before the pause is to be remembered or forgotten").On("NodePool %s", kube.Name(np))
		}
		return step.OK("spec.pausedUntil is %s", pauseText(have)).On("NodePool %s", kube.Name(np))
	}
}

func (p *Pausing) setPool(c PoolPause) func(context.Context) (step.Change, error) {
	return func(ctx context.Context) (step.Change, error) {
		np := &hyperv1.NodePool{}
		if err := p.client.Get(ctx, client.ObjectKeyFromObject(c.pool), np); err != nil {
			return "", fmt.Errorf("NodePool %s: %w", kube.Name(c.pool), err)
		}
		was, is := ptr.Deref(c.pool.Spec.PausedUntil, ""), ptr.Deref(np.Spec.PausedUntil, "")
		if is != was && is != c.Until {
			return "", &hostedcluster.ChangedError{Object: "NodePool " + kube.Name(np), Field: "spec.pausedUntil",
				Was: pauseText(was), Is: pauseText(is)}
		}
		var remember any
		if c.Remember != nil {
			remember = *c.Remember
		}
		return hostedcluster.Edit(ctx, p.client, np, map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{PausedAnnotation: remember}},
			"spec":     map[string]any{"pausedUntil": orNil(c.Until)},
		})
	}
}

// acknowledged is OK once ReconciliationActive reports the pause, or its end.
func (p *Pausing) acknowledged(ctx context.Context, r kube.Reader) step.Finding {
	hc := &hyperv1.HostedCluster{}
	if err := r.Get(ctx, client.ObjectKeyFromObject(p.Cluster), hc); err != nil {
		return kube.Unknown(err).On("HostedCluster %s", kube.Name(p.Cluster))
	}
	c := conditions.OfCluster(hc).Get(string(hyperv1.ReconciliationActive))
	paused := p.Until != ""
	if paused && !c.False() || !paused && !c.True() {
		return step.Pending("the operator says: %s", c.Describe()).On("HostedCluster %s", kube.Name(hc)).
			WithHint("if that lasts: is the Deployment hypershift/operator available? %s", hint.Run("check"))
	}
	return step.OK("the operator says: %s", c.Describe()).On("HostedCluster %s", kube.Name(hc))
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}
