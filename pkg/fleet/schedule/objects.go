package schedule

import (
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// Label is the label of each object of a schedule. Its value is the schedule's name.
const Label = "hcctl.dev/schedule"

const (
	// startingDeadline is the maximum delay of a Job, in seconds. A stop must not begin hours later.
	startingDeadline = 1800
	// activeDeadline bounds a Job, in seconds; cleanDeadline is longer, because a deletion waits until nothing
	// is left.
	activeDeadline, cleanDeadline = 900, 3600
	// retries is the number of retries of a failed Job, because the API server may have been unavailable.
	retries = 3
	// keptSucceeded and keptFailed are the numbers of Jobs to keep, for their logs.
	keptSucceeded, keptFailed = 1, 3
)

// Objects returns all objects of the schedule, in the order to write them.
func (s *Schedule) Objects() ([]*unstructured.Unstructured, error) {
	objects := []*unstructured.Unstructured{s.object(kube.ServiceAccount, s.Namespace, s.Name())}
	for _, p := range s.purposes() {
		roles, err := s.roles(p)
		if err != nil {
			return nil, err
		}
		objects = append(objects, roles...)
	}
	for _, j := range s.jobs() {
		if j.times != nil {
			objects = append(objects, s.cronJob(j))
		}
	}
	return objects, nil
}

// purposes returns the purposes of the jobs that the schedule has.
func (s *Schedule) purposes() []rbac.Purpose {
	var all []rbac.Purpose
	for _, j := range s.jobs() {
		if j.times != nil && !slices.Contains(all, j.purpose) {
			all = append(all, j.purpose)
		}
	}
	return all
}

// roles returns the roles of a purpose with their bindings.
func (s *Schedule) roles(p rbac.Purpose) ([]*unstructured.Unstructured, error) {
	roles := rbac.Roles{
		Options:  rbac.Options{Purposes: []rbac.Purpose{p}, Namespace: s.Namespace},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.Namespace, Name: s.Name()}},
	}
	roles.Name = roles.DefaultName()
	written, err := roles.Unstructured(s.labels())
	if err != nil {
		return nil, fmt.Errorf("schedule %s: %w", s.Name(), err)
	}
	return written, nil
}

func (s *Schedule) labels() map[string]string {
	return map[string]string{kube.ManagedByLabel: kube.FieldOwner, Label: s.Name()}
}

func (s *Schedule) object(kind kube.Kind, namespace, name string) *unstructured.Unstructured {
	u := kind.New()
	u.SetNamespace(namespace)
	u.SetName(name)
	u.SetLabels(s.labels())
	return u
}

// jobName returns the name of a CronJob.
func (s *Schedule) jobName(j job) string { return s.Name() + "-" + j.verb }

// command returns the command of the container. It does not wait for VMs and nodes, because that would need
// rights to the Secrets of the hosted clusters.
func (s *Schedule) command(verb string) []any {
	if verb == cleanVerb {
		return []any{"hcctl", "delete", "clusters", hint.Flag("namespace").String(), s.Namespace,
			hint.Flag("selector").String(),
			s.Selector, hint.Flag("expired").String(), hint.Flag("timeout").String(), "50m", hint.Flag("yes").String()}
	}
	return []any{"hcctl", verb, hint.Flag("namespace").String(), s.Namespace, hint.Flag("selector").String(),
		s.Selector, hint.Flag("wait").String(), "none", hint.Flag("yes").String()}
}

// cronJob returns a CronJob whose pod meets the PodSecurity level restricted.
func (s *Schedule) cronJob(j job) *unstructured.Unstructured {
	container := map[string]any{
		"name": "hcctl", "image": s.Image, "command": s.command(j.verb),
		"resources": map[string]any{"requests": map[string]any{"cpu": "10m", "memory": "64Mi"}},
		"securityContext": map[string]any{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
			"capabilities": map[string]any{"drop": []any{"ALL"}},
		},
		"terminationMessagePolicy": "FallbackToLogsOnError",
	}
	pod := map[string]any{
		"serviceAccountName": s.Name(), "restartPolicy": "Never", "containers": []any{container},
		"securityContext": map[string]any{"runAsNonRoot": true, "seccompProfile": map[string]any{"type": "RuntimeDefault"}},
	}
	deadline := activeDeadline
	if j.verb == cleanVerb {
		deadline = cleanDeadline
	}
	labels := map[string]any{}
	for key, value := range s.labels() {
		labels[key] = value
	}
	u := s.object(kube.CronJob, s.Namespace, s.jobName(j))
	u.Object["spec"] = map[string]any{
		"schedule": j.cron, "timeZone": s.TimeZone, "concurrencyPolicy": "Forbid",
		"startingDeadlineSeconds":    int64(startingDeadline),
		"successfulJobsHistoryLimit": int64(keptSucceeded), "failedJobsHistoryLimit": int64(keptFailed),
		"jobTemplate": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec": map[string]any{
				"backoffLimit": int64(retries), "activeDeadlineSeconds": int64(deadline),
				"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": pod},
			},
		},
	}
	return u
}
