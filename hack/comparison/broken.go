package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

// fault is a problem that exists before a cluster is created.
type fault struct {
	what string
	// cause matches a line that names the cause.
	cause *regexp.Regexp
	// inject causes the problem and returns further flags of create; repair removes it. Either may be nil.
	inject func(context.Context, *testbed) ([]string, error)
	repair func(context.Context, *testbed) error
}

func faults() []fault {
	return []fault{
		{"no default StorageClass", regexp.MustCompile(`(?i)storage ?class`), noDefaultClass, defaultClass},
		{"MetalLB has no free address", regexp.MustCompile(`(?i)address|load balancer`), takeAddress, freeAddress},
		{"a pull secret without quay.io", regexp.MustCompile(`quay\.io, registry|credentials`),
			func(_ context.Context, w *testbed) ([]string, error) {
				path, err := w.file("few.json", `{"auths":{"registry.example":{"auth":"dXNlcjpwYXNz"}}}`)
				return []string{"--pull-secret", path}, err
			}, nil},
		{"a release that the operator does not support", regexp.MustCompile(`4\.2[0-9].*4\.23|4\.23.*4\.2[0-9]`),
			func(context.Context, *testbed) ([]string, error) {
				return []string{"--release-image", "quay.io/openshift-release-dev/ocp-release:4.23.0-multi"}, nil
			}, nil},
	}
}

// broken compares the time until the cause of an existing problem is reported.
func (c *comparison) broken(ctx context.Context) error {
	w, secret, err := c.prepared(ctx, "ready")
	if err != nil {
		return err
	}
	defer w.end() //nolint:errcheck // the results count
	for i, t := range faults() {
		more, err := t.inject(ctx, w)
		if err != nil {
			return fmt.Errorf("%s: %w", t.what, err)
		}
		reports := map[side]string{}
		for _, of := range []side{ours, theirs} {
			reports[of], err = c.reportsCause(ctx, w, t, of, fmt.Sprintf("%s-%d", agent(of), i), secret, more)
			if err != nil {
				return fmt.Errorf("%s: %w", t.what, err)
			}
		}
		c.facts = append(c.facts, fact{"broken", t.what, hcp, reports[ours], reports[theirs]})
		reports[ours], err = c.reportsCause(ctx, w, t, ours, fmt.Sprintf("waits-%d", i), secret, append(more,
			"--skip-preflight", "all"))
		if err != nil {
			return fmt.Errorf("%s: %w", t.what, err)
		}
		c.facts = append(c.facts, fact{"broken", t.what + ", hcctl without its checks before", hcp, reports[ours], "-"})
		if t.repair != nil {
			if err := t.repair(ctx, w); err != nil {
				return fmt.Errorf("%s: %w", t.what, err)
			}
		}
	}
	return nil
}

// reportsCause runs create and describes when it reported the cause, if it did. It deletes what was created.
func (c *comparison) reportsCause(ctx context.Context, w *testbed, t fault, of side, name, secret string,
	more []string) (string, error) {
	args := create(of, name, secret, append(more, "--timeout", c.patience.String())...)
	seen, stop, err := w.follow(ctx, name)
	if err != nil {
		return "", err
	}
	defer stop()
	e, failed := measuring.Run(ctx, w.env, c.program(of), args...)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	text := "not told within " + seconds(e.Took)
	for _, line := range e.Said {
		if t.cause.MatchString(withoutTime(line.Text)) {
			text = fmt.Sprintf("told after %s (%s)", seconds(line.After), short(withoutTime(line.Text)))
			break
		}
	}
	if failed == nil {
		text += "; the cluster works in the sandbox all the same"
	}
	if seen.at("written").IsZero() {
		return text + "; nothing was written", nil
	}
	cleanup, err := measuring.Run(ctx, w.env, c.hcctl, "delete", "cluster", name, "--namespace", namespace, "--yes")
	if err != nil {
		return "", errors.Join(err, errors.New(string(cleanup.Stderr)))
	}
	return text + "; the HostedCluster was written", nil
}

var (
	storageClasses  = schema.GroupVersionResource{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"}
	storageClusters = schema.GroupVersionResource{Group: "ocs.openshift.io", Version: "v1", Resource: "storageclusters"}
	pools           = schema.GroupVersionResource{Group: "metallb.io", Version: "v1beta1", Resource: "ipaddresspools"}
	services        = schema.GroupVersionResource{Version: "v1", Resource: "services"}
)

const (
	defaultMark = "storageclass.kubernetes.io/is-default-class"
	blockClass  = "ocs-storagecluster-ceph-rbd"
	// onlyAddress is the single address of the pool while it is broken.
	onlyAddress = "127.0.231.7"
)

func (w *testbed) merge(ctx context.Context, kind schema.GroupVersionResource, ns, name, patch string) error {
	_, err := w.client.Resource(kind).Namespace(ns).Patch(ctx, name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{})
	return err
}

func marked(as string) string {
	return `{"metadata":{"annotations":{"` + defaultMark + `":"` + as + `"}}}`
}

// noDefaultClass removes the mark. Data Foundation sets it again unless its StorageCluster disables that.
func noDefaultClass(ctx context.Context, w *testbed) ([]string, error) {
	err := w.merge(ctx, storageClusters, "openshift-storage", "ocs-storagecluster",
		`{"spec":{"managedResources":{"cephBlockPools":{"defaultStorageClass":false}}}}`)
	return nil, errors.Join(err, w.merge(ctx, storageClasses, "", blockClass, marked("false")))
}

func defaultClass(ctx context.Context, w *testbed) error {
	return w.merge(ctx, storageClasses, "", blockClass, marked("true"))
}

// takeAddress reduces the pool to one address, which a Service takes.
func takeAddress(ctx context.Context, w *testbed) ([]string, error) {
	l, err := w.client.Resource(pools).Namespace("metallb-system").List(ctx, metav1.ListOptions{})
	if err != nil || len(l.Items) != 1 {
		return nil, fmt.Errorf("%d pools of addresses: %w", len(l.Items), err)
	}
	if err := w.merge(ctx, pools, "metallb-system", l.Items[0].GetName(),
		`{"spec":{"addresses":["`+onlyAddress+`/32"]}}`); err != nil {
		return nil, err
	}
	taker := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{"name": "taker"},
		"spec":     map[string]any{"type": "LoadBalancer", "ports": []any{map[string]any{"port": int64(6443)}}}}}
	if _, err := w.client.Resource(services).Namespace("default").Create(ctx, taker, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	return nil, wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true,
		func(ctx context.Context) (bool, error) {
			s, err := w.client.Resource(services).Namespace("default").Get(ctx, "taker", metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			ingress, _, err := unstructured.NestedSlice(s.Object, "status", "loadBalancer", "ingress")
			return len(ingress) > 0, err
		})
}

// freeAddress gives the pool more addresses.
func freeAddress(ctx context.Context, w *testbed) error {
	l, err := w.client.Resource(pools).Namespace("metallb-system").List(ctx, metav1.ListOptions{})
	if err != nil || len(l.Items) != 1 {
		return fmt.Errorf("%d pools of addresses: %w", len(l.Items), err)
	}
	return w.merge(ctx, pools, "metallb-system", l.Items[0].GetName(),
		`{"spec":{"addresses":["`+onlyAddress+`-127.0.231.77"]}}`)
}
