package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

// manifests are the files that a user has to write first.
//
//go:embed testdata/byhand
var manifests embed.FS

const (
	hand = "by hand"
	// addresses are the load balancer's addresses, on loopback.
	addresses = "127.0.232.32-127.0.232.122"
	// retryFor is how long a command is repeated that an operator's webhook or a missing kind refuses, as a user would.
	retryFor   = time.Minute
	retryPause = time.Second
)

// step is a command that a user types. Its manifest, if it has one, is a file in testdata/byhand.
type step struct {
	manifest string
	args     []string
}

func apply(manifest string) step { return step{manifest, []string{"apply", "-f", "-"}} }

func kubectl(parts ...string) step { return step{args: strings.Fields(strings.Join(parts, " "))} }

// waitFor waits with a timeout that no step reaches.
func waitFor(parts ...string) step {
	return kubectl(append([]string{"wait --timeout=10m"}, parts...)...)
}

// operator installs an operator through OLM: it applies OLM's objects, then waits for the ClusterServiceVersion and its
// success.
func operator(manifest, namespace, subscription string) []step {
	return []step{
		apply(manifest),
		waitFor("-n " + namespace + " subscriptions.operators.coreos.com/" + subscription +
			" --for=jsonpath={.status.installedCSV}"),
		waitFor("-n " + namespace + " clusterserviceversions.operators.coreos.com -l operators.coreos.com/" +
			subscription + "." +
			namespace + " --for=jsonpath={.status.phase}=Succeeded"),
	}
}

// steps returns the documented steps from a bare management cluster to a hosted cluster. Each waits for the one before.
func steps() []step {
	var all []step
	add := func(more ...step) { all = append(all, more...) }
	add(kubectl("label nodes -l node-role.kubernetes.io/worker cluster.ocs.openshift.io/openshift-storage="))
	add(operator("local-storage.yaml", "openshift-local-storage", "local-storage-operator")...)
	add(apply("disks.yaml"),
		waitFor("-n openshift-local-storage localvolumesets.local.storage.openshift.io/local-block",
			"--for=condition=Available"))
	add(operator("data-foundation.yaml", "openshift-storage", "odf-operator")...)
	add(waitFor("customresourcedefinitions/storageclusters.ocs.openshift.io --for=create"),
		apply("storage-cluster.yaml"),
		waitFor("-n openshift-storage storageclusters.ocs.openshift.io/ocs-storagecluster",
			"--for=jsonpath={.status.phase}=Ready"),
		kubectl("annotate --overwrite storageclass ocs-storagecluster-ceph-rbd",
			"storageclass.kubernetes.io/is-default-class=true"))
	add(operator("virtualization.yaml", "openshift-cnv", "kubevirt-hyperconverged")...)
	add(apply("hyperconverged.yaml"),
		waitFor("-n openshift-cnv hyperconvergeds.hco.kubevirt.io/kubevirt-hyperconverged --for=condition=Available"))
	add(operator("metallb.yaml", "metallb-system", "metallb-operator")...)
	add(apply("metallb-instance.yaml"),
		waitFor("-n metallb-system metallbs.metallb.io/metallb --for=condition=Available"),
		apply("addresses.yaml"))
	add(step{args: []string{"patch", "-n", "openshift-ingress-operator",
		"ingresscontrollers.operator.openshift.io/default", "--type=merge",
		"-p", `{"spec":{"routeAdmission":{"wildcardPolicy":"WildcardsAllowed"}}}`}},
		waitFor("-n openshift-ingress-operator ingresscontrollers.operator.openshift.io/default",
			"--for=condition=Progressing=False"))
	add(operator("multicluster-engine.yaml", "multicluster-engine", "multicluster-engine")...)
	add(apply("engine.yaml"),
		waitFor("multiclusterengines.multicluster.openshift.io/multiclusterengine",
			"--for=jsonpath={.status.phase}=Available"),
		waitFor("managedclusters.cluster.open-cluster-management.io/local-cluster",
			"--for=condition=ManagedClusterConditionAvailable"),
		waitFor("-n local-cluster managedclusteraddons.addon.open-cluster-management.io/hypershift-addon",
			"--for=condition=Available"),
		waitFor("-n hypershift deployments.apps/operator --for=condition=Available"))
	return all
}

// byHand compares the way from a bare management cluster to a hosted cluster: all commands typed without a pause by an
// expert, and the two commands of hcctl. Each gets a sandbox of its own.
func (c *comparison) byHand(ctx context.Context) error {
	return alternate(max(1, c.runs/3), func(_ int, of side) error { return c.fromBare(ctx, of) })
}

func (c *comparison) fromBare(ctx context.Context, of side) error {
	w, secret, err := c.prepared(ctx, "ocp-4.20")
	if err != nil {
		return err
	}
	defer w.end() //nolint:errcheck // the results count
	count, err := measuring.NewCounter(w.config, w.Audit())
	if err != nil {
		return err
	}
	begin := time.Now()
	way := c.allCommands
	if of == ours {
		way = c.twoCommands
	}
	commands, err := way(ctx, w, secret, begin)
	if err != nil {
		return err
	}
	c.record(hand, "until the hosted cluster works", "s", hand, of, time.Since(begin).Seconds())
	c.record(hand, "commands to type", "commands", hand, of, float64(commands))
	files, err := manifests.ReadDir("testdata/byhand")
	if err != nil {
		return err
	}
	written := map[side]int{theirs: len(files)}
	c.record(hand, "manifests to write", "files", hand, of, float64(written[of]))
	// The few requests of hcp are not counted for the commands by hand.
	requests, err := count.Requests(ctx, map[side]string{ours: "hcctl", theirs: "kubectl"}[of])
	if err != nil {
		return err
	}
	c.record(hand, "requests", "requests", hand, of, float64(len(requests)))
	return nil
}

func (c *comparison) twoCommands(ctx context.Context, w *testbed, secret string, begin time.Time) (int, error) {
	if _, err := measuring.Run(ctx, w.env, c.hcctl, "bootstrap", "--yes", "--metallb-range", addresses); err != nil {
		return 0, err
	}
	c.record(hand, "until the management cluster is ready", "s", hand, ours, time.Since(begin).Seconds())
	_, err := measuring.Run(ctx, w.env, c.hcctl, create(ours, "kv-00", secret)...)
	return 2, err
}

func (c *comparison) allCommands(ctx context.Context, w *testbed, secret string, begin time.Time) (int, error) {
	commands := 0
	for _, s := range steps() {
		input := ""
		if s.manifest != "" {
			content, err := manifests.ReadFile("testdata/byhand/" + s.manifest)
			if err != nil {
				return 0, err
			}
			input = strings.ReplaceAll(string(content), "ADDRESSES", addresses)
		}
		typed, err := c.untilItWorks(ctx, w, input, s.args)
		commands += typed
		if err != nil {
			return 0, err
		}
	}
	c.record(hand, "until the management cluster is ready", "s", hand, theirs, time.Since(begin).Seconds())
	if _, err := measuring.Run(ctx, w.env, c.hcp, create(theirs, "kv-00", secret)...); err != nil {
		return 0, err
	}
	return commands + 1, nil
}

// untilItWorks runs kubectl until it succeeds, and returns the number of attempts.
func (c *comparison) untilItWorks(ctx context.Context, w *testbed, input string, args []string) (int, error) {
	until := time.Now().Add(retryFor)
	for n := 1; ; n++ {
		_, err := measuring.Feed(ctx, w.env, input, c.kubectl, args...)
		if err == nil || ctx.Err() != nil {
			return n, errors.Join(err, ctx.Err())
		}
		if time.Now().After(until) {
			return n, fmt.Errorf("kubectl %s: tried %d times: %w", strings.Join(args, " "), n, err)
		}
		select {
		case <-ctx.Done():
			return n, ctx.Err()
		case <-time.After(retryPause):
		}
	}
}
