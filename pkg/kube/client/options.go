package client

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// ListOptions narrow a list.
type ListOptions struct {
	LabelSelector labels.Selector
	FieldSelector fields.Selector
	Namespace     string
	// Limit is the page size; 0 means no paging. Continue is the token of the previous page.
	Limit    int64
	Continue string
	// ResourceVersion is the minimum version of the answer; "0" accepts any version in the server's cache.
	ResourceVersion string
}

// ListOption sets one of the ListOptions.
type ListOption interface{ ApplyToList(list *ListOptions) }

// ListOptionsOf collects the options.
func ListOptionsOf(opts []ListOption) ListOptions {
	var o ListOptions
	for _, opt := range opts {
		opt.ApplyToList(&o)
	}
	return o
}

// ApplyToList implements ListOption: it replaces all options.
func (o *ListOptions) ApplyToList(list *ListOptions) { *list = *o }

// query returns the options in the form of the API.
func (o *ListOptions) query() *metav1.ListOptions {
	sent := &metav1.ListOptions{Limit: o.Limit, Continue: o.Continue, ResourceVersion: o.ResourceVersion}
	if o.LabelSelector != nil {
		sent.LabelSelector = o.LabelSelector.String()
	}
	if o.FieldSelector != nil {
		sent.FieldSelector = o.FieldSelector.String()
	}
	return sent
}

// require adds requirements to the label selector.
func (o *ListOptions) require(all ...labels.Requirement) {
	if o.LabelSelector == nil {
		o.LabelSelector = labels.NewSelector()
	}
	o.LabelSelector = o.LabelSelector.Add(all...)
}

// InNamespace limits a list to one namespace.
type InNamespace string

// ApplyToList implements ListOption.
func (n InNamespace) ApplyToList(list *ListOptions) { list.Namespace = string(n) }

// MatchingLabels limits a list to objects with all these labels.
type MatchingLabels map[string]string

// ApplyToList implements ListOption. The API server rejects invalid labels.
func (m MatchingLabels) ApplyToList(list *ListOptions) {
	all, _ := labels.SelectorFromValidatedSet(labels.Set(m)).Requirements()
	list.require(all...)
}

// HasLabels limits a list to objects that have labels with all these names.
type HasLabels []string

// ApplyToList implements ListOption. It panics for an invalid label name, because a list without the requirement would
// have everything.
func (h HasLabels) ApplyToList(list *ListOptions) {
	for _, key := range h {
		r, err := labels.NewRequirement(key, selection.Exists, nil)
		utilruntime.Must(err)
		list.require(*r)
	}
}

// MatchingLabelsSelector limits a list to objects whose labels match.
type MatchingLabelsSelector struct{ labels.Selector }

// ApplyToList implements ListOption.
func (m MatchingLabelsSelector) ApplyToList(list *ListOptions) { list.LabelSelector = m.Selector }

// MatchingFields limits a list to objects whose fields have these values.
type MatchingFields fields.Set

// ApplyToList implements ListOption.
func (m MatchingFields) ApplyToList(list *ListOptions) {
	list.FieldSelector = fields.Set(m).AsSelector()
}

// MatchingFieldsSelector limits a list to objects whose fields match.
type MatchingFieldsSelector struct{ fields.Selector }

// ApplyToList implements ListOption.
func (m MatchingFieldsSelector) ApplyToList(list *ListOptions) { list.FieldSelector = m.Selector }

// Limit is the page size, in objects.
type Limit int64

// ApplyToList implements ListOption.
func (l Limit) ApplyToList(list *ListOptions) { list.Limit = int64(l) }

// Continue is the token of the previous page.
type Continue string

// ApplyToList implements ListOption.
func (c Continue) ApplyToList(list *ListOptions) { list.Continue = string(c) }

// WriteOptions control how an object is created, applied or patched.
type WriteOptions struct {
	// FieldManager owns the written fields.
	FieldManager string
	// FieldValidation selects the server's handling of unknown fields, such as metav1.FieldValidationStrict.
	FieldValidation string
	// DryRun makes the server validate the write and store nothing.
	DryRun bool
	// Subresource is written instead of the object, such as "status".
	Subresource string
}

// WriteOption sets one of the WriteOptions.
type WriteOption interface{ applyToWrite(write *WriteOptions) }

// WriteOptionsOf collects the options.
func WriteOptionsOf(opts []WriteOption) WriteOptions {
	var o WriteOptions
	for _, opt := range opts {
		opt.applyToWrite(&o)
	}
	return o
}

// query returns the options in the form of the API. PatchOptions has all fields of CreateOptions and one more.
func (o *WriteOptions) query() *metav1.PatchOptions {
	return &metav1.PatchOptions{FieldManager: o.FieldManager, FieldValidation: o.FieldValidation, DryRun: dryRun(o.DryRun)}
}

func dryRun(on bool) []string {
	if on {
		return []string{metav1.DryRunAll}
	}
	return nil
}

// FieldOwner is the field manager of a write.
type FieldOwner string

func (f FieldOwner) applyToWrite(write *WriteOptions) { write.FieldManager = string(f) }

// FieldValidation selects the server's handling of unknown fields.
type FieldValidation string

func (f FieldValidation) applyToWrite(write *WriteOptions) { write.FieldValidation = string(f) }

// Subresource writes to a subresource of the object, such as "status".
type Subresource string

func (s Subresource) applyToWrite(write *WriteOptions) { write.Subresource = string(s) }

// DryRunAll makes the server validate a write and store nothing.
var DryRunAll dryRunAll

type dryRunAll struct{}

func (dryRunAll) applyToWrite(write *WriteOptions)      { write.DryRun = true }
func (dryRunAll) applyToDelete(o *metav1.DeleteOptions) { o.DryRun = dryRun(true) }

// DeleteOption sets one of the options of a deletion.
type DeleteOption interface{ applyToDelete(o *metav1.DeleteOptions) }

// DeleteOptionsOf collects the options.
func DeleteOptionsOf(opts []DeleteOption) *metav1.DeleteOptions {
	o := &metav1.DeleteOptions{}
	for _, opt := range opts {
		opt.applyToDelete(o)
	}
	return o
}

// Preconditions are the UID and resource version that the object must still have.
type Preconditions metav1.Preconditions

func (p Preconditions) applyToDelete(o *metav1.DeleteOptions) {
	same := metav1.Preconditions(p)
	o.Preconditions = &same
}

// PropagationPolicy decides how the dependents of the object are deleted.
type PropagationPolicy metav1.DeletionPropagation

func (p PropagationPolicy) applyToDelete(o *metav1.DeleteOptions) {
	policy := metav1.DeletionPropagation(p)
	o.PropagationPolicy = &policy
}
