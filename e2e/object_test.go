package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// awaitTime is how long await gives the cluster, unless the script says otherwise.
	awaitTime = time.Minute
	// awaitPause is between two looks: the kind itself may not be registered yet, so there is nothing to watch.
	awaitPause = 50 * time.Millisecond
)

// objectCommand: object KIND [NAMESPACE/]NAME [PATH OP VALUE]... | object KIND [NAMESPACE/]NAME like FILE
//
// asks that the object is there and that what is said of it holds; see claim and like. The name * stands for any
// object of the namespace that the claims hold of.
func objectCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf(
			"usage: object KIND [NAMESPACE/]NAME [PATH OP VALUE]... | object KIND [NAMESPACE/]NAME like FILE (see absent)",
		)
	}
	c := clusterOf(ts)
	ts.Check(c.object(ts, args))
}

// awaitCommand: await [DURATION] KIND [NAMESPACE/]NAME [PATH OP VALUE]...
//
// is object for what the cluster does in its own time: it looks again and again until it holds, a minute by default.
func awaitCommand(ts *testscript.TestScript, neg bool, args []string) {
	limit := awaitTime
	if len(args) > 0 {
		if d, err := time.ParseDuration(args[0]); err == nil {
			limit, args = d, args[1:]
		}
	}
	if neg || len(args) < 2 {
		ts.Fatalf("usage: await [DURATION] KIND [NAMESPACE/]NAME [PATH OP VALUE]...")
	}
	c := clusterOf(ts)
	untilHolds(ts, limit, func() error { return c.object(ts, args) })
}

// untilHolds looks again and again, and fails the script with the last error when the time is over.
func untilHolds(ts *testscript.TestScript, limit time.Duration, check func() error) {
	ts.Check(retried(limit, check))
}

// retried looks again and again, and returns the last error when the time is over.
func retried(limit time.Duration, check func() error) error {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(awaitPause)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return fmt.Errorf("after %s: %w", limit, err)
		}
	}
}

// absentCommand: absent KIND [NAMESPACE/]NAME
//
// asks that there is no such object. The kind must be registered, so that a slip of the pen does not pass.
func absentCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: absent KIND [NAMESPACE/]NAME")
	}
	obj, err := clusterOf(ts).get(args[0], args[1])
	switch {
	case err == nil:
		ts.Fatalf("%s %s is there, since %s", args[0], args[1], obj.GetCreationTimestamp())
	case !apierrors.IsNotFound(err):
		ts.Fatalf("%v", err)
	}
}

// countCommand: count [within DURATION] KIND NAMESPACE|- N [PATH OP VALUE]...
//
// asks that exactly N objects are there of which the claims hold; "-" is for all namespaces, and kinds without. With
// "within" it looks again and again until that holds.
func countCommand(ts *testscript.TestScript, neg bool, args []string) {
	var limit time.Duration
	if len(args) > 1 && args[0] == "within" {
		var err error
		limit, err = time.ParseDuration(args[1])
		ts.Check(err)
		args = args[2:]
	}
	if neg || len(args) < 3 {
		ts.Fatalf("usage: count [within DURATION] KIND NAMESPACE|- N [PATH OP VALUE]...")
	}
	want, err := strconv.Atoi(args[2])
	ts.Check(err)
	claims, err := parseClaims(args[3:])
	ts.Check(err)
	c := clusterOf(ts)
	check := func() error { return c.count(args[0], args[1], want, claims) }
	if limit == 0 {
		ts.Check(check())
		return
	}
	untilHolds(ts, limit, check)
}

func (c *cluster) count(kind, namespace string, want int, claims claims) error {
	items, err := c.list(kind, namespace)
	if meta.IsNoMatchError(err) && want == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	var names []string
	for _, item := range items {
		if claims.hold(item.Object) == nil {
			names = append(names, strings.TrimPrefix(item.GetNamespace()+"/"+item.GetName(), "/"))
		}
	}
	if len(names) != want {
		return fmt.Errorf("%d %s, want %d: %s", len(names), kind, want, strings.Join(names, ", "))
	}
	return nil
}

// rememberCommand: remember VARIABLE KIND [NAMESPACE/]NAME PATH
//
// sets the variable to what the path finds, which must be something.
func rememberCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: remember VARIABLE KIND [NAMESPACE/]NAME PATH")
	}
	obj, err := clusterOf(ts).first(args[1], args[2])
	ts.Check(err)
	value, err := find(obj.Object, args[3])
	ts.Check(err)
	if value == "" {
		ts.Fatalf("%s %s has no %s", args[1], args[2], args[3])
	}
	ts.Setenv(args[0], value)
}

// first is the object; of the name *, one of the namespace.
func (c *cluster) first(kind, at string) (*unstructured.Unstructured, error) {
	namespace, ok := strings.CutSuffix(at, "/*")
	if !ok {
		return c.get(kind, at)
	}
	items, err := c.list(kind, namespace)
	if err == nil && len(items) == 0 {
		err = fmt.Errorf("there are no %s in %s", kind, namespace)
	}
	if err != nil {
		return nil, err
	}
	return &items[0], nil
}

// object checks one object against the rest of an object command's arguments.
// objectsCommand: objects FILE KIND...
//
// writes all objects of these kinds, of all namespaces, to a file as JSON, for marks and grep. It fails if there is
// none.
func objectsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: objects FILE KIND...")
	}
	c := clusterOf(ts)
	all := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List"}}
	for _, kind := range args[1:] {
		m, err := c.kind(kind)
		ts.Check(err)
		ctx, cancel := requestContext()
		list, err := c.dynamic.Resource(m.Resource).List(ctx, metav1.ListOptions{})
		cancel()
		ts.Check(err)
		all.Items = append(all.Items, list.Items...)
	}
	if len(all.Items) == 0 {
		ts.Fatalf("there are no %s", strings.Join(args[1:], ", "))
	}
	data, err := all.MarshalJSON()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

func (c *cluster) object(ts *testscript.TestScript, args []string) error {
	if namespace, ok := strings.CutSuffix(args[1], "/*"); ok {
		return c.any(args[0], namespace, args[2:])
	}
	obj, err := c.get(args[0], args[1])
	if err != nil {
		return err
	}
	if len(args) == 4 && args[2] == "like" {
		return like(obj.Object, ts.ReadFile(args[3]))
	}
	claims, err := parseClaims(args[2:])
	if err != nil {
		return err
	}
	if err := claims.hold(obj.Object); err != nil {
		return fmt.Errorf("%s %s: %w", args[0], args[1], err)
	}
	return nil
}

// any asks that the claims hold of at least one object in the namespace.
func (c *cluster) any(kind, namespace string, args []string) error {
	claims, err := parseClaims(args)
	if err != nil {
		return err
	}
	items, err := c.list(kind, namespace)
	if err != nil {
		return err
	}
	for _, item := range items {
		if claims.hold(item.Object) == nil {
			return nil
		}
	}
	return fmt.Errorf("none of %d %s in %s is so", len(items), kind, namespace)
}

func (c *cluster) get(kind, at string) (*unstructured.Unstructured, error) {
	r, name, err := c.one(kind, at)
	if err != nil {
		return nil, err
	}
	ctx, cancel := requestContext()
	defer cancel()
	return r.Get(ctx, name, metav1.GetOptions{})
}

func (c *cluster) list(kind, namespace string) ([]unstructured.Unstructured, error) {
	m, err := c.kind(kind)
	if err != nil {
		return nil, err
	}
	if namespace == "-" {
		namespace = metav1.NamespaceAll
	}
	ctx, cancel := requestContext()
	defer cancel()
	l, err := c.dynamic.Resource(m.Resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return l.Items, nil
}
