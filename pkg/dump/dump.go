package dump

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Options say what is gathered of one hosted cluster.
type Options struct {
	// Namespace and Name of the HostedCluster.
	Namespace, Name string
	// Guest is whether the hosted cluster itself is asked, too.
	Guest bool
	// LogBytes bounds each container's log: its last so many bytes are kept. Zero means no logs at all.
	LogBytes int64
}

// Defaults are all there is, with 5 MiB of each log.
func Defaults() Options {
	const megabytes = 5
	return Options{Guest: true, LogBytes: megabytes << 20}
}

// Dump is one gathering. Its Steps write into a folder; Finish adds what tells of it as a whole.
type Dump struct {
	options Options
	client  *kube.Client
	// hc is nil where the HostedCluster is gone.
	hc        *hyperv1.HostedCluster
	folder    *Folder
	redaction redact.Redactor
	// places are for questions, largePlaces for those among them whose answers may be large: logs.
	places, largePlaces chan struct{}
	// rendering is held while a large object, or a log, is made into a file's text: that takes several times its size.
	rendering sync.Mutex

	mu sync.Mutex
	// gaps are what could not be read.
	gaps []Gap
	// told are the objects that the summaries are made of, by kind.
	told map[string][]unstructured.Unstructured
	// held is what they take, in bytes, by the folder of their cluster.
	held map[string]int64
	done map[step.ID]bool
	// learnt is how many bytes of Secrets are looked for.
	learnt int64
	// unsafe is why nothing may be written; nil while it may.
	unsafe error
}

// Gap is something that could not be read, and why.
type Gap struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// New begins a gathering into the folder, reading only whether there is anything of the cluster. It fails with
// *hostedcluster.NotFoundError if there is nothing at all, or with *hostedcluster.NotInstalledError.
func New(ctx context.Context, c *kube.Client, opt Options, into *Folder) (*Dump, error) {
	d := &Dump{
		options: opt, client: c, folder: into,
		places: make(chan struct{}, requestsAtOnce), largePlaces: make(chan struct{}, logsAtOnce),
		told: map[string][]unstructured.Unstructured{}, held: map[string]int64{}, done: map[step.ID]bool{},
	}
	hc, err := hostedcluster.Find(ctx, c, opt.Namespace, opt.Name)
	if err == nil {
		d.hc = hc
		return d, nil
	}
	var missing *hostedcluster.NotFoundError
	var uninstalled *hostedcluster.NotInstalledError
	if !errors.As(err, &missing) && !errors.As(err, &uninstalled) {
		// It may be there for somebody else: what can be read is gathered.
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

// controlPlane is the namespace of the control plane.
func (d *Dump) controlPlane() string {
	return hostedcluster.ControlPlaneNamespace(d.options.Namespace, d.options.Name)
}

// Steps gather a part each, side by side, after what must not show anywhere is known.
func (d *Dump) Steps() []step.Step {
	steps := []step.Step{
		d.part("dump/secrets", "what must not show", d.secrets),
		d.part("dump/cluster", "HostedCluster, NodePools, ManagedCluster", d.cluster),
		d.part("dump/control-plane", "control plane's namespace", d.everything),
		d.part("dump/management", "HyperShift operator, addresses, storage, virtualization", d.management),
	}
	if d.options.LogBytes > 0 {
		steps = append(steps, d.part("dump/logs", "logs", d.logs))
	}
	if d.options.Guest {
		steps = append(steps, d.part("dump/guest", "hosted cluster", d.guest))
	}
	for i := range steps[1:] {
		steps[i+1].Needs = []step.ID{"dump/secrets"}
	}
	return steps
}

// part is a step that gathers something once. What cannot be read is no reason for it to fail: it is told.
func (d *Dump) part(id step.ID, title string, gather func(context.Context) string) step.Step {
	words := ""
	return step.Step{
		ID: id, Title: title, Group: "dump",
		Check: func(context.Context) step.Finding {
			d.mu.Lock()
			defer d.mu.Unlock()
			if !d.done[id] {
				return step.Missing("not read yet")
			}
			return step.OK("%s", words)
		},
		Apply: func(ctx context.Context) (step.Change, error) {
			said := gather(ctx)
			if ctx.Err() != nil {
				d.gap("the rest of "+title, ctx.Err())
				return step.Unchanged, ctx.Err()
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.unsafe != nil {
				return step.Unchanged, d.unsafe
			}
			d.done[id], words = true, said
			return step.Created, nil
		},
	}
}

// request asks one thing in its turn and within its time. What cannot be read is kept as a gap; what is not there is
// none.
func (d *Dump) request(ctx context.Context, what string, ask func(context.Context) error) {
	d.requestIn(ctx, d.places, requestTimeout, what, ask)
}

// requestIn is request with places and a time of its own.
func (d *Dump) requestIn(
	ctx context.Context, places chan struct{}, limit time.Duration, what string, ask func(context.Context) error,
) {
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-places }()
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := ask(bounded)
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) || kube.IsKindMissing(err) ||
		ctx.Err() != nil {
		return
	}
	d.gap(what, err)
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
	d.gaps = append(d.gaps, Gap{what, d.redaction.Text(why)})
}
