package olm

import (
	"context"
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Removal removes an operator that hcctl installed: its Subscription and the ClusterServiceVersion that OLM leaves
// behind, then the OperatorGroup and the namespace if hcctl made them and nothing else is in them.
type Removal struct {
	op Operator
	// operands are the kinds the operator works on: it stays while objects of them exist.
	operands []kube.Kind
}

// NewRemoval returns the removal of the operator. It waits until no object of the given kinds exists.
func NewRemoval(op Operator, operands ...kube.Kind) Removal {
	return Removal{op, operands}
}

func (r Removal) check(ctx context.Context, reader kube.Reader) step.Finding {
	i, err := r.find(ctx, reader)
	if err != nil {
		return kube.Unknown(err).On("Subscriptions")
	}
	if len(i.subscriptions)+len(i.versions) > 0 {
		return r.checkOperator(ctx, reader, i)
	}
	switch {
	case i.webhook != nil:
		return step.Missing("left behind by %s; nothing answers it any more, so it refuses operators in the namespace",
			r.op.Title).On("MutatingWebhookConfiguration %s", i.webhook.GetName())
	case i.foreign != nil:
		return step.OK("left as it is: hcctl did not create it").On("Subscription %s", kube.Name(i.foreign))
	case i.group != nil && len(i.others) == 0:
		return step.Missing("created by hcctl, for no operator any more").On("OperatorGroup %s", kube.Name(i.group))
	case i.namespace == nil:
		return step.OK("there is nothing of it that hcctl created").On("%s", r.op.Title)
	case i.namespace.DeletionTimestamp != nil:
		return step.Pending("%s", Terminating(i.namespace)).On("Namespace %s", i.namespace.Name)
	}
	return r.checkNamespace(ctx, reader, i)
}

func (r Removal) checkOperator(ctx context.Context, reader kube.Reader, i *installation) step.Finding {
	for _, kind := range r.operands {
		list, err := kube.ListStored(ctx, reader, kind)
		if err != nil {
			return kube.Unknown(err).On("%ss", kind.Kind)
		}
		if len(list) > 0 {
			reason := "which hcctl did not create"
			if removal.Owned(&list[0]) {
				reason = "which goes with the storage alone"
			}
			return step.OK("left as it is: %s %s, %s, needs it", kind.Kind, kube.Name(&list[0]), reason).On("%s", r.op.Title)
		}
	}
	for n := range i.versions {
		if csv := &i.versions[n]; csv.DeletionTimestamp != nil && len(i.subscriptions) == 0 {
			return step.Pending("being deleted; finalizers: %s", prereq.Listed(csv.Finalizers)).
				On("ClusterServiceVersion %s", kube.Name(csv))
		}
	}
	if len(i.subscriptions) == 0 {
		return step.Missing("its Subscription is gone, and it is not yet").
			On("ClusterServiceVersion %s", kube.Name(&i.versions[0]))
	}
	return step.Missing("installed by hcctl").On("Subscription %s", kube.Name(&i.subscriptions[0]))
}

func (r Removal) checkNamespace(ctx context.Context, reader kube.Reader, i *installation) step.Finding {
	object := "Namespace " + i.namespace.Name
	if len(i.others) > 0 {
		return step.OK("left as it is: there is more in it: %s", strings.Join(i.others, ", ")).On("%s", object)
	}
	content, err := reader.Content(ctx, i.namespace.Name, r.residue)
	switch {
	case err != nil:
		f := kube.Unknown(err)
		f.Message = "what is in it cannot be known, so it stays: " + f.Message
		return f.On("%s", object)
	case len(content) > 0:
		return step.OK("left as it is: there is more in it: %s; if nobody needs that: oc delete namespace %s",
			strings.Join(content, ", "), i.namespace.Name).On("%s", object)
	}
	return step.Missing("created by hcctl and empty now").On("%s", object)
}

func (r Removal) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	i, err := r.find(ctx, c)
	if err != nil {
		return "", err
	}
	switch {
	case len(i.subscriptions)+len(i.versions) > 0:
		return r.removeOperator(ctx, c, i)
	case i.webhook != nil:
		return c.DeleteUnchanged(ctx, i.webhook)
	case i.group != nil && len(i.others) == 0:
		return c.DeleteUnchanged(ctx, i.group)
	case i.namespace != nil:
		// Objects created since the check must not be deleted with it.
		if f := r.checkNamespace(ctx, c, i); f.State != step.StateMissing {
			return step.Unchanged, nil
		}
		return c.DeleteUnchanged(ctx, i.namespace)
	}
	return step.Unchanged, nil
}

// removeOperator labels the ClusterServiceVersions as hcctl's own before it deletes the Subscription. If the process
// ends in between, the next run still recognizes them.
func (r Removal) removeOperator(ctx context.Context, c *kube.Client, i *installation) (step.Change, error) {
	for n := range i.versions {
		csv := &i.versions[n]
		if removal.Owned(csv) {
			continue
		}
		if _, err := prereq.MergePatch(ctx, c, csv,
			fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, kube.ManagedByLabel, kube.FieldOwner)); err != nil {
			return "", err
		}
	}
	change := step.Unchanged
	for n := range i.subscriptions {
		removed, err := c.DeleteUnchanged(ctx, &i.subscriptions[n])
		if err != nil {
			return change, err
		}
		change = step.Join(change, removed)
	}
	for n := range i.versions {
		removed, err := c.DeleteUnchanged(ctx, &i.versions[n])
		if err != nil {
			return change, err
		}
		change = step.Join(change, removed)
	}
	return change, nil
}

// Removal returns the removal for a prerequisite.
func (r Removal) Removal(id step.ID, needs ...step.ID) prereq.Removal {
	title := r.op.Title
	if !strings.HasSuffix(strings.ToLower(title), "operator") {
		title += " operator"
	}
	return prereq.Removal{ID: id, Title: title, Needs: needs, Check: r.check, Apply: r.apply}
}
