package schedule

import (
	"context"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/rbac"
	"github.com/hcctl/hcctl/pkg/step"
)

const group = "schedule"

// purposes are all purposes that jobs may have.
var purposes = []rbac.Purpose{rbac.Schedule, rbac.Cleanup}

// id returns the step ID of an object, by its kind; for a CronJob by its verb.
func (s *Schedule) id(u *unstructured.Unstructured) step.ID {
	for _, j := range s.jobs() {
		if u.GetKind() == kube.CronJob.Kind && u.GetName() == s.jobName(j) {
			return step.ID(group + "/" + j.verb)
		}
	}
	id := map[string]step.ID{
		kube.ServiceAccount.Kind: group + "/service-account",
		kube.ClusterRole.Kind:    group + "/cluster-role", kube.ClusterRoleBinding.Kind: group + "/cluster-role-binding",
		kube.Role.Kind: group + "/role", kube.RoleBinding.Kind: group + "/role-binding",
	}[u.GetKind()]
	if u.GetKind() == kube.ServiceAccount.Kind {
		return id
	}
	if u.GetNamespace() != "" && u.GetNamespace() != s.Namespace {
		id += step.ID("-" + u.GetNamespace())
	}
	if strings.HasPrefix(u.GetName(), "hcctl-"+string(rbac.Cleanup)) {
		id += "-" + cleanVerb
	}
	return id
}

// Steps returns the steps that write the schedule, and delete the CronJobs of times that it no longer has.
func (s *Schedule) Steps(c *kube.Client) ([]step.Step, error) {
	objects, err := s.Objects()
	if err != nil {
		return nil, err
	}
	var steps []step.Step
	add := func(one step.Step) {
		if len(steps) > 0 {
			one.Needs = []step.ID{steps[len(steps)-1].ID}
		}
		steps = append(steps, one)
	}
	for _, u := range objects {
		add(s.write(c, u))
	}
	for _, j := range s.jobs() {
		if j.times == nil {
			add(s.remove(c, s.object(kube.CronJob, s.Namespace, s.jobName(j))))
		}
	}
	for _, p := range purposes {
		if slices.Contains(s.purposes(), p) {
			continue
		}
		idle, err := s.roles(p)
		if err != nil {
			return nil, err
		}
		slices.Reverse(idle)
		for _, u := range idle {
			add(s.remove(c, u))
		}
	}
	return steps, nil
}

// RemoveSteps returns the steps that delete the schedule, CronJobs first.
func (s *Schedule) RemoveSteps(c *kube.Client) ([]step.Step, error) {
	objects := []*unstructured.Unstructured{s.object(kube.ServiceAccount, s.Namespace, s.Name())}
	for _, p := range purposes {
		roles, err := s.roles(p)
		if err != nil {
			return nil, err
		}
		objects = append(objects, roles...)
	}
	for _, j := range s.jobs() {
		objects = append(objects, s.object(kube.CronJob, s.Namespace, s.jobName(j)))
	}
	slices.Reverse(objects)
	var steps []step.Step
	for i, u := range objects {
		one := s.remove(c, u)
		if i > 0 {
			one.Needs = []step.ID{steps[i-1].ID}
		}
		steps = append(steps, one)
	}
	return steps, nil
}

func (s *Schedule) write(c *kube.Client, want *unstructured.Unstructured) step.Step {
	return step.Step{
		ID: s.id(want), Title: want.GetKind() + " " + want.GetName(), Group: group,
		Check: func(ctx context.Context, _ step.Reads) step.Finding {
			live, f := s.read(ctx, c, want)
			switch {
			case f != nil:
				return *f
			case live == nil:
				return about(want, step.Missing("does not exist"))
			case !covers(live.Object, want.Object):
				return about(want, step.Missing("differs from what is asked for"))
			}
			return about(want, step.OK("as asked for"))
		},
		Apply: func(ctx context.Context) (step.Change, error) { return c.Apply(ctx, want) },
	}
}

func (s *Schedule) remove(c *kube.Client, gone *unstructured.Unstructured) step.Step {
	return step.Step{
		ID: s.id(gone), Title: "no " + gone.GetKind() + " " + gone.GetName(), Group: group,
		Check: func(ctx context.Context, _ step.Reads) step.Finding {
			live, f := s.read(ctx, c, gone)
			switch {
			case f != nil:
				return *f
			case live == nil:
				return about(gone, step.OK("there is none"))
			}
			return about(gone, step.Missing("still there"))
		},
		Apply: func(ctx context.Context) (step.Change, error) {
			live, f := s.read(ctx, c, gone)
			if live == nil || f != nil {
				return step.Unchanged, nil // the next check reports it
			}
			return c.DeleteUnchanged(ctx, live)
		},
	}
}

// read returns the object in the cluster, or nil if there is none. An object of another owner is a finding,
// because its name is taken.
func (s *Schedule) read(ctx context.Context, c *kube.Client,
	want *unstructured.Unstructured) (*unstructured.Unstructured, *step.Finding) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(want.GroupVersionKind())
	var f step.Finding
	switch err := c.Get(ctx, client.ObjectKeyFromObject(want), live); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		f = about(want, kube.Unknown(err))
		return nil, &f
	case live.GetLabels()[Label] != s.Name():
		f = about(want, step.Broken("exists, and is not of this schedule: label %s is not %s", Label, s.Name()))
		f.Final = true
		f.Hint = hint.New("rename or delete it; hcctl does not change what it has not made")
		return nil, &f
	}
	return live, nil
}

func about(u *unstructured.Unstructured, f step.Finding) step.Finding {
	return f.On("%s %s", u.GetKind(), kube.Name(u))
}

// covers reports whether an object has all desired fields. It may have more fields, which are defaults, but no
// more items in a list.
func covers(have, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		have, ok := have.(map[string]any)
		if !ok {
			return false
		}
		for key, value := range want {
			if !covers(have[key], value) {
				return false
			}
		}
		return true
	case []any:
		have, ok := have.([]any)
		if !ok || len(have) != len(want) {
			return false
		}
		for i := range want {
			if !covers(have[i], want[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(have, want)
}
