package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// NodeSelector is the prerequisite of this file.
const NodeSelector step.ID = "cluster/node-selector"

// schedulerObject is the name in findings of the object with the default node selector.
const schedulerObject = "Scheduler cluster"

// nodeSelector checks that the cluster's default node selector leaves nodes for hosted clusters. OpenShift adds it to
// every pod of a namespace without a selector of its own, such as the namespaces of HyperShift.
type nodeSelector struct {
	// nodes is the required number of nodes.
	nodes int
}

func (s nodeSelector) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: NodeSelector, Title: "default node selector", Severity: step.Advisory,
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{readScheduler(), prereq.ListNodes()}},
		Preflight: &prereq.Preflight{Required: true, Check: func(w prereq.Wanted) kube.Check {
			if w.HighlyAvailable {
				return nodeSelector{planeReplicas}.check
			}
			return nodeSelector{1}.check
		}},
	}
}

func (s nodeSelector) check(ctx context.Context, r kube.Reader) step.Finding {
	text, err := defaultSelector(ctx, r)
	if err != nil {
		return kube.Unknown(err).On(schedulerObject)
	}
	if text == "" {
		return step.OK("none").On(schedulerObject)
	}
	workers, err := prereq.Workers(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	return judgeSelector(text, workers, s.nodes).On(schedulerObject)
}

// judgeSelector counts the workers that match the selector.
func judgeSelector(text string, workers []corev1.Node, needed int) step.Finding {
	workers = slices.DeleteFunc(slices.Clone(workers), func(n corev1.Node) bool { return !prereq.TakesPods(&n) })
	left, err := selected(text, workers)
	if err != nil {
		return step.Missing("spec.defaultNodeSelector %q cannot be read: %v", text, err).WithHint("%s", dropSelector)
	}
	names := make([]string, 0, len(left))
	for i := range left {
		names = append(names, left[i].Name)
	}
	where := fmt.Sprintf("spec.defaultNodeSelector is %s, and %d of %d workers that take pods have that", text, len(left),
		len(workers))
	if len(left) > 0 {
		where += " (" + strings.Join(names, ", ") + ")"
	}
	if len(left) < needed {
		return step.Missing("%s: hosted clusters run there only and need %d, so some of their pods would stay Pending", where,
			needed).WithHint("oc label node NODE %s; or %s", labelsFor(text), dropSelector)
	}
	return step.OK("%s; hosted clusters run there only", where)
}

// labelsFor returns the arguments of oc label for the labels of the selector.
func labelsFor(text string) string {
	var words []string
	for _, pair := range strings.Split(text, ",") {
		words = append(words, sanitize.Word(strings.TrimSpace(pair)))
	}
	return strings.Join(words, " ")
}

// dropSelector is the command that removes the default node selector.
const dropSelector = `oc patch schedulers.config.openshift.io cluster --type=merge -p ` +
	`'{"spec":{"defaultNodeSelector":null}}'`

// hostingWorkers returns the workers that match the default node selector. A selector that cannot be parsed matches
// none.
func hostingWorkers(ctx context.Context, r kube.Reader) ([]corev1.Node, error) {
	workers, err := prereq.Workers(ctx, r)
	if err != nil {
		return nil, err
	}
	text, err := defaultSelector(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("default node selector: %w", err)
	}
	left, err := selected(text, workers)
	if err != nil {
		return nil, nil //nolint:nilerr // check cluster/node-selector says so
	}
	return left, nil
}

// selected returns the nodes with the labels of a selector such as "type=user,region=east".
func selected(text string, nodes []corev1.Node) ([]corev1.Node, error) {
	wanted, err := labels.ConvertSelectorToLabelsMap(text)
	if err != nil {
		return nil, err
	}
	selector := labels.SelectorFromSet(wanted)
	return slices.DeleteFunc(slices.Clone(nodes),
		func(n corev1.Node) bool { return !selector.Matches(labels.Set(n.Labels)) }), nil
}

// defaultSelector returns the cluster's default node selector, or "" if there is none.
func defaultSelector(ctx context.Context, r kube.Reader) (string, error) {
	scheduler := &configv1.Scheduler{}
	err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, scheduler)
	if apierrors.IsNotFound(err) || kube.IsKindMissing(err) {
		return "", nil
	}
	return scheduler.Spec.DefaultNodeSelector, err
}

// readScheduler returns the right to read the default node selector.
func readScheduler() access.Rule { return prereq.ReadConfig("schedulers.config.openshift.io") }
