package dump

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// guest collects the hosted cluster's own objects.
func (d *Dump) guest(ctx context.Context) string {
	if d.hc == nil {
		d.gap("the hosted cluster itself",
			errors.New("its HostedCluster, which has its kubeconfig, could not be read or is gone"))
		return "not asked: there is no HostedCluster"
	}
	// The first client has a short timeout to check whether the cluster answers. Later requests may take longer.
	c, err := d.hosted(ctx)
	if err != nil {
		d.gap("the hosted cluster itself", err)
		if _, refused := guest.RefusedFinding(err); refused {
			return "not asked: its kubeconfig is refused"
		}
		return "it does not answer"
	}
	bounded, cancel := context.WithTimeout(ctx, guestTime)
	defer cancel()
	of := source{c, guestBase, make(chan struct{}, maxParallelGuest), requestTimeout}
	n := d.gather(bounded, of, []query{
		{resource: "clusterversions.config.openshift.io"},
		{resource: "clusteroperators.config.openshift.io"},
		{resource: "infrastructures.config.openshift.io"},
		{resource: "networks.config.openshift.io"},
		{resource: "ingresses.config.openshift.io"},
		{resource: "ingresscontrollers.operator.openshift.io"},
		{resource: "nodes"},
		{resource: "namespaces"},
		{resource: "pods"},
		{resource: "events"},
		{resource: "storageclasses.storage.k8s.io"},
		{resource: "persistentvolumes"},
		{resource: "persistentvolumeclaims"},
		{resource: "services"},
		{resource: "certificatesigningrequests.certificates.k8s.io"},
		{resource: "csinodes.storage.k8s.io"},
		{resource: "volumeattachments.storage.k8s.io"},
		{resource: "subscriptions.operators.coreos.com"},
		{resource: "clusterserviceversions.operators.coreos.com", selector: notCopied, trim: trimCSV},
		{resource: "installplans.operators.coreos.com", trim: trimInstallPlan},
		{resource: "customresourcedefinitions.apiextensions.k8s.io", trim: trimCRD},
		{resource: "apiservices.apiregistration.k8s.io", only: notAvailable},
	})
	if bounded.Err() != nil && ctx.Err() == nil {
		d.gap("the rest of the hosted cluster", bounded.Err())
	}
	if d.options.LogBytes == 0 || d.options.GuestLogBytes == 0 {
		return plural.Count(n, "object")
	}
	return plural.Count(n, "object") + ", " + plural.Count(d.guestLogs(ctx, of), "log")
}

// hosted returns a client of the hosted cluster, after that has answered once.
func (d *Dump) hosted(ctx context.Context) (*kube.Client, error) {
	c, err := guest.Connect(ctx, d.client, d.hc)
	if err != nil {
		return nil, err
	}
	if _, err = c.ServerVersion(ctx); err != nil {
		return nil, err
	}
	var lasting guest.CachedClient
	return lasting.Client(ctx, d.client, d.hc)
}

// guestLogs collects the journals of the nodes and the logs of the pods in OpenShift's own namespaces, unhealthy ones
// first. It does not read the tenant's pods.
func (d *Dump) guestLogs(ctx context.Context, s source) int {
	bounded, cancel := context.WithTimeout(ctx, guestLogTime)
	defer cancel()
	var logs []podLog
	d.requestIn(bounded, s.slots, requestTimeout, s.base+"nodes for their journals", func(ctx context.Context) error {
		var nodes corev1.NodeList
		if !d.options.Journals {
			return nil
		}
		err := s.client.List(ctx, &nodes)
		logs = d.journals(nodes.Items)
		return err
	})
	var pods []corev1.Pod
	page := &corev1.PodList{}
	d.requestIn(bounded, s.slots, requestTimeout, s.base+"pods for their logs", func(ctx context.Context) error {
		return s.client.ListPages(ctx, page, func() {
			for i := range page.Items {
				if cause.IsPlatform(page.Items[i].Namespace) {
					pods = append(pods, page.Items[i])
				}
			}
		})
	})
	// Journals come first: they are few, and show why pods do not run.
	n := d.writeLogs(bounded, s.slots, append(logs, worstFirst(pods, d.client.Now())...),
		func(ctx context.Context, l podLog) error {
			if l.unit != "" {
				return d.journal(ctx, s, l)
			}
			return d.log(ctx, s, l)
		})
	if bounded.Err() != nil && ctx.Err() == nil {
		d.gap("the other logs of the hosted cluster", bounded.Err())
	}
	return n
}

// units lists the systemd units of a node whose journals show why it does not run pods.
var units = []string{"kubelet", "crio", "NetworkManager"}

// journals returns the journals of the nodes, those that are not ready first.
func (d *Dump) journals(nodes []corev1.Node) []podLog {
	slices.SortStableFunc(nodes, func(a, b corev1.Node) int {
		ready := map[bool]int{true: 1}
		return ready[health.NodeReady(&a)] - ready[health.NodeReady(&b)]
	})
	if len(nodes) > maxJournals {
		d.gap(fmt.Sprintf("the journals of %s", plural.Count(len(nodes)-maxJournals, "other node")),
			fmt.Errorf("left out: those of %d nodes are read at most", maxJournals))
		nodes = nodes[:maxJournals]
	}
	var logs []podLog
	for i := range nodes {
		for _, unit := range units {
			logs = append(logs, podLog{pod: nodes[i].Name, unit: unit})
		}
	}
	return logs
}

// journal writes the journal of a unit of a node, through its kubelet. Newer kubelets use the second name of each
// parameter (openshift/oc, pkg/cli/admin/node/logs.go).
func (d *Dump) journal(ctx context.Context, s source, l podLog) error {
	if len(validation.IsDNS1123Subdomain(l.pod)) > 0 {
		return errName
	}
	lines := strconv.FormatInt(min(max(1, d.options.LogBytes/lineBytes), maxJournalLines), 10)
	stream, err := s.client.NodeLog(ctx, l.pod, "journal", url.Values{"unit": {l.unit}, "query": {l.unit},
		"tail": {lines}, "tailLines": {lines}})
	if err != nil {
		return err
	}
	return d.writeLog(stream, fmt.Sprintf("%snodes/%s/%s.log", s.base, l.pod, l.unit))
}

// maxJournalLines is the kubelet's maximum number of lines.
const maxJournalLines = 100_000

// isForeign reports whether a file comes from the hosted cluster or an infrastructure cluster, whose owners control
// its size.
func isForeign(name string) bool {
	return strings.HasPrefix(name, guestBase) || strings.HasPrefix(name, infrastructureBase)
}

// isGuestLog reports whether such a file is a log.
func isGuestLog(name string) bool { return isForeign(name) && strings.HasSuffix(name, ".log") }

// guestBase is the directory of the hosted cluster's own objects.
const guestBase = "hosted-cluster/"
