package dump

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Options select what to collect.
type Options struct {
	// Namespace and Name identify the HostedCluster.
	Namespace, Name string
	// Guest also reads the hosted cluster itself.
	Guest bool
	// ManifestWorks reads the ManifestWorks that the hub has sent to the cluster. They may contain Secrets of others.
	ManifestWorks bool
	// Secrets reads the control plane's Secrets, whose content is then removed from everything else. Without it, only the
	// KnownKinds of the control plane namespace are collected, which a role can name.
	Secrets bool
	// Consoles opens the serial consoles of VMs without a console log. That ends the console sessions of other users.
	Consoles bool
	// Journals reads the journals of the hosted cluster's nodes.
	Journals bool
	// LogBytes limits each log to its last bytes. Zero means no logs.
	LogBytes int64
	// GuestLogBytes limits all logs of the hosted cluster together: those of its pods and of its nodes. Zero means none.
	GuestLogBytes int64
}

// Defaults returns options that collect everything except consoles, with 5 MiB of each log and 128 MiB of the hosted
// cluster's logs.
func Defaults() Options {
	return Options{Guest: true, Secrets: true, Journals: true,
		LogBytes: defaultLogBytes, GuestLogBytes: defaultGuestLogBytes}
}

// Dump is one collection. Its Steps write into a directory, and Finish adds the summaries.
type Dump struct {
	options Options
	client  *kube.Client
	// hc is nil if the HostedCluster does not exist.
	hc        *hyperv1.HostedCluster
	directory *Directory
	redaction redact.Redactor
	// requestSlots limits the parallel requests, largeSlots those with large responses such as logs.
	requestSlots, largeSlots chan struct{}
	// answered counts the finished requests, for Progress.
	answered atomic.Int64
	// rendering is locked while a large object or log is converted to text, which needs several times its size in memory.
	rendering sync.Mutex

	mu sync.Mutex
	// gaps lists what could not be read.
	gaps []Gap
	// summaryObjects has the objects for the summaries, by kind.
	summaryObjects map[string][]unstructured.Unstructured
	// summarySize is their size in bytes, by the directory of their cluster.
	summarySize map[string]int64
	done        map[step.ID]bool
	// secretsSize is the total size of the known Secrets in bytes.
	secretsSize int64
	// unsafeErr is the reason why nothing may be written; nil normally.
	unsafeErr error
}

// Gap is something that could not be read, with the reason.
type Gap struct {
	What string `json:"what"`
	Why  string `json:"why"`
	// Forbidden means that the user may not read it. Another role may.
	Forbidden bool `json:"forbidden,omitempty"`
}

// New starts a collection into the directory. It fails with *hostedcluster.NotFoundError if nothing of the cluster
// exists, or with *hostedcluster.NotInstalledError.
func New(ctx context.Context, c *kube.Client, opt Options, into *Directory) (*Dump, error) {
	d := &Dump{
		options: opt, client: c, directory: into,
		requestSlots: make(chan struct{}, maxParallelRequests), largeSlots: make(chan struct{}, maxParallelLogs),
		summaryObjects: map[string][]unstructured.Unstructured{}, summarySize: map[string]int64{}, done: map[step.ID]bool{},
	}
	into.guestLogs = guestLogAllowance(opt.GuestLogBytes)
	hc, err := hostedcluster.Find(ctx, c, opt.Namespace, opt.Name)
	if err == nil {
		d.hc = hc
		return d, nil
	}
	var missing *hostedcluster.NotFoundError
	var uninstalled *hostedcluster.NotInstalledError
	if !errors.As(err, &missing) && !errors.As(err, &uninstalled) {
		// The cluster may exist for another user. The dump has what this user can read.
		d.gap(fmt.Sprintf("HostedCluster %s/%s", opt.Namespace, opt.Name), err)
		return d, ctx.Err()
	}
	if gone := d.client.Get(ctx, client.ObjectKey{Name: d.controlPlane()}, &corev1.Namespace{}); gone == nil ||
		apierrors.IsForbidden(gone) {
		return d, nil
	}
	var pools hyperv1.NodePoolList
	if listed := d.client.List(ctx, &pools, client.InNamespace(opt.Namespace)); listed == nil {
		for i := range pools.Items {
			if pools.Items[i].Spec.ClusterName == opt.Name {
				return d, nil
			}
		}
	}
	return nil, err
}

// controlPlane returns the namespace of the control plane.
func (d *Dump) controlPlane() string {
	return hostedcluster.ControlPlaneNamespace(d.options.Namespace, d.options.Name)
}

// Steps returns one step per part. They run in parallel after the step that reads the Secrets.
func (d *Dump) Steps() []step.Step {
	steps := []step.Step{
		d.gatherStep("dump/secrets", "what must not show", d.secrets),
		d.gatherStep("dump/cluster", "HostedCluster, NodePools, ManagedCluster", d.cluster),
		d.gatherStep("dump/control-plane", "control plane's namespace", d.controlPlaneObjects),
		d.gatherStep("dump/management", "HyperShift operator, addresses, storage, virtualization", d.management),
	}
	if d.options.LogBytes > 0 {
		steps = append(steps, d.gatherStep("dump/logs", "logs", d.logs))
	}
	if d.options.LogBytes > 0 && d.options.Consoles {
		steps = append(steps, d.gatherStep("dump/consoles", "serial consoles", d.consoles))
	}
	if d.elsewhere() {
		steps = append(steps, d.gatherStep("dump/infrastructure", "worker VMs on another cluster", d.infrastructure))
	}
	if d.options.Guest {
		steps = append(steps, d.gatherStep("dump/guest", "hosted cluster", d.guest))
	}
	for i := range steps[1:] {
		steps[i+1].Needs = []step.ID{"dump/secrets"}
	}
	return steps
}

// gatherStep returns a step that collects one part once. If something cannot be read, the step records a gap and does
// not fail.
func (d *Dump) gatherStep(id step.ID, title string, gather func(context.Context) string) step.Step {
	words := ""
	return step.Step{
		ID: id, Title: title, Group: "dump",
		Check: func(context.Context, step.Reads) step.Finding {
			d.mu.Lock()
			defer d.mu.Unlock()
			if !d.done[id] {
				return step.Missing("not read yet")
			}
			return step.OK("%s", words)
		},
		Apply: func(ctx context.Context) (step.Change, error) {
			summary := gather(ctx)
			if ctx.Err() != nil {
				d.gap("the rest of "+title, ctx.Err())
				return step.Unchanged, ctx.Err()
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.unsafeErr != nil {
				return step.Unchanged, d.unsafeErr
			}
			d.done[id], words = true, summary
			return step.Created, nil
		},
	}
}

// request makes one request with the default time limit. It records an error as a gap, unless the object does not
// exist.
func (d *Dump) request(ctx context.Context, what string, call func(context.Context) error) {
	d.requestIn(ctx, d.requestSlots, requestTimeout, what, call)
}

// requestIn is request with other slots and another time limit.
func (d *Dump) requestIn(
	ctx context.Context, slots chan struct{}, limit time.Duration, what string, call func(context.Context) error) {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-slots }()
	defer d.answered.Add(1)
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := call(bounded)
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) || kube.IsKindMissing(err) ||
		ctx.Err() != nil {
		return
	}
	d.gap(what, err)
}

// Progress returns the progress of the collection. It may be called at any time.
func (d *Dump) Progress() string {
	files, size := d.directory.counts()
	return fmt.Sprintf("%s, %s, %d MiB", plural.Count(int(d.answered.Load()), "request"), plural.Count(files, "file"),
		size/mib)
}

func (d *Dump) gap(what string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	why := kube.Explain(err)
	switch {
	case errors.Is(err, context.Canceled):
		why = "interrupted"
	case errors.Is(err, context.DeadlineExceeded):
		why = "no answer in time"
	}
	d.gaps = append(d.gaps, Gap{what, d.redaction.Text(why), kube.IsNotPermitted(err)})
}
