package client

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// ListOptions are what a list is limited to.
type ListOptions struct {
	LabelSelector labels.Selector
	FieldSelector fields.Selector
	Namespace     string
	// Limit is the size of a page; 0 means everything at once. Continue is the token of the page before.
	Limit    int64
	Continue string
	// ResourceVersion is the version that the answer must have at least; "0" is whatever the server has cached.
	ResourceVersion string
}

// ListOption limits a list.
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

// query returns the options as they are sent.
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

// require adds requirements to those that are there.
func (o *ListOptions) require(all ...labels.Requirement) {
	if o.LabelSelector == nil {
		o.LabelSelector = labels.NewSelector()
	}
	o.LabelSelector = o.LabelSelector.Add(all...)
}

// InNamespace lists one namespace.
type InNamespace string

// ApplyToList implements ListOption.
func (n InNamespace) ApplyToList(list *ListOptions) { list.Namespace = string(n) }

// MatchingLabels lists the objects that have all these labels.
type MatchingLabels map[string]string

// ApplyToList implements ListOption. The API server refuses labels that no object can have.
func (m MatchingLabels) ApplyToList(list *ListOptions) {
	all, _ := labels.SelectorFromValidatedSet(labels.Set(m)).Requirements()
	list.require(all...)
}

// HasLabels lists the objects that have labels of all these names.
type HasLabels []string

// ApplyToList implements ListOption. It panics for a name that no label can have, since a list without the requirement
// would have everything.
func (h HasLabels) ApplyToList(list *ListOptions) {
	for _, key := range h {
		r, err := labels.NewRequirement(key, selection.Exists, nil)
		utilruntime.Must(err)
		list.require(*r)
	}
}

// MatchingLabelsSelector lists the objects whose labels match.
type MatchingLabelsSelector struct{ labels.Selector }

// ApplyToList implements ListOption.
func (m MatchingLabelsSelector) ApplyToList(list *ListOptions) { list.LabelSelector = m.Selector }

// MatchingFields lists the objects whose fields have these values.
type MatchingFields fields.Set

// ApplyToList implements ListOption.
func (m MatchingFields) ApplyToList(list *ListOptions) {
	list.FieldSelector = fields.Set(m).AsSelector()
}

// MatchingFieldsSelector lists the objects whose fields match.
type MatchingFieldsSelector struct{ fields.Selector }

// ApplyToList implements ListOption.
func (m MatchingFieldsSelector) ApplyToList(list *ListOptions) { list.FieldSelector = m.Selector }

// Limit is the size of a page.
type Limit int64

// ApplyToList implements ListOption.
func (l Limit) ApplyToList(list *ListOptions) { list.Limit = int64(l) }

// Continue is the token of the page before.
type Continue string

// ApplyToList implements ListOption.
func (c Continue) ApplyToList(list *ListOptions) { list.Continue = string(c) }

// WriteOptions are how an object is created, applied or patched.
type WriteOptions struct {
	// FieldManager is who writes.
	FieldManager string
	// FieldValidation is what the server does with fields that it does not know, such as metav1.FieldValidationStrict.
	FieldValidation string
	// DryRun makes the server check everything and store nothing.
	DryRun bool
	// Subresource is what is written instead of the object, such as "status".
	Subresource string
}

// WriteOption says how an object is written.
type WriteOption interface{ applyToWrite(write *WriteOptions) }

// WriteOptionsOf collects the options.
func WriteOptionsOf(opts []WriteOption) WriteOptions {
	var o WriteOptions
	for _, opt := range opts {
		opt.applyToWrite(&o)
	}
	return o
}

// query returns the options as they are sent: those of a patch are those of creating and one more.
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

// FieldValidation is what the server does with fields that it does not know.
type FieldValidation string

func (f FieldValidation) applyToWrite(write *WriteOptions) { write.FieldValidation = string(f) }

// Subresource writes to a subresource of the object, such as "status".
type Subresource string

func (s Subresource) applyToWrite(write *WriteOptions) { write.Subresource = string(s) }

// DryRunAll makes the server check a write and store nothing.
var DryRunAll dryRunAll

type dryRunAll struct{}

func (dryRunAll) applyToWrite(write *WriteOptions)      { write.DryRun = true }
func (dryRunAll) applyToDelete(o *metav1.DeleteOptions) { o.DryRun = dryRun(true) }

// DeleteOption says how an object is deleted.
type DeleteOption interface{ applyToDelete(o *metav1.DeleteOptions) }

// DeleteOptionsOf collects the options.
func DeleteOptionsOf(opts []DeleteOption) *metav1.DeleteOptions {
	o := &metav1.DeleteOptions{}
	for _, opt := range opts {
		opt.applyToDelete(o)
	}
	return o
}

// Preconditions say which object it must still be.
type Preconditions metav1.Preconditions

func (p Preconditions) applyToDelete(o *metav1.DeleteOptions) {
	same := metav1.Preconditions(p)
	o.Preconditions = &same
}

// PropagationPolicy says what becomes of the objects that the deleted one owns.
type PropagationPolicy metav1.DeletionPropagation

func (p PropagationPolicy) applyToDelete(o *metav1.DeleteOptions) {
	policy := metav1.DeletionPropagation(p)
	o.PropagationPolicy = &policy
}
