package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/create"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestNextCommandsMeanTheSameCluster: what create and status say to do next is about the namespace that a file said,
// and the context that a flag did.
func TestNextCommandsMeanTheSameCluster(t *testing.T) {
	home(t, management(t).URL)
	var errs bytes.Buffer
	a := cmdutil.NewFactory(cmdutil.Streams{Err: &errs}, nil)
	for _, tc := range []struct {
		namespace, context string
		want               string
	}{
		{"clusters", "", "Next: hcctl wait cluster kv-00\nNext: hcctl kubeconfig kv-00 --merge\n      hcctl exec kv-00 -- " +
			"oc get nodes\n"},
		{"lab", "mgmt", "Next: hcctl --context mgmt wait cluster kv-00 --namespace lab\nNext: hcctl --context mgmt " +
			"kubeconfig kv-00 --namespace lab --merge\n" +
			"      hcctl --context mgmt exec kv-00 --namespace lab -- oc get nodes\n"},
	} {
		errs.Reset()
		a.Call.KubeFlags.Overrides.CurrentContext = tc.context
		o := optionstest.Named(func(o *options.Cluster) { o.Namespace, o.Wait = tc.namespace, options.WaitAPI })
		create.CreatedEnding(a, &creation.Plan{Options: optionstest.Valid(t, o)}, step.Report{})
		if !strings.HasSuffix(errs.String(), tc.want) {
			t.Errorf("got:\n%s\nwant:\n%s", errs.String(), tc.want)
		}
	}
}

// TestCleanupSparesWhatWasThere: the same create again, with a node that is late, must not remove the cluster that has
// run all along.
func TestCleanupSparesWhatWasThere(t *testing.T) {
	home(t, management(t).URL)
	var errs bytes.Buffer
	a := cmdutil.NewFactory(cmdutil.Streams{Err: &errs}, nil)
	to, err := a.Connection.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := step.Report{Results: []step.Result{
		{Step: &step.Step{ID: "objects/hosted-cluster", Group: creation.ObjectsGroup}, Outcome: step.OutcomeDone,
			Change: step.Unchanged},
		{Step: &step.Step{ID: "hosted/nodes"}, Outcome: step.OutcomeTimedOut},
	}}
	err = create.Failed(t.Context(), a, to, optionstest.Valid(t, optionstest.Named(nil)), r, errors.New("late"),
		true)
	var told *cmdutil.Resumable
	if !errors.As(err, &told) || !strings.Contains(told.Resume.String(),
		"--cleanup-on-failure does not remove it: hcctl delete "+
			"cluster kv-00 does") {
		t.Errorf("%+v", err)
	}
}

// TestCreateThatFailsWhileItWrites: what exists by then is told, with how to go on, and only what this create has made.
func TestCreateThatFailsWhileItWrites(t *testing.T) {
	home(t, management(t).URL)
	failed := errors.New("refused")
	object := func(title string, outcome step.Outcome, change step.Change) step.Result {
		return step.Result{Step: &step.Step{ID: step.ID("objects/" + title), Title: title, Group: creation.ObjectsGroup},
			Outcome: outcome, Change: change}
	}
	for _, tc := range []struct {
		name    string
		results []step.Result
		told    string
	}{
		{"nothing written", []step.Result{object("Secret kv-00-pull-secret", step.OutcomeDone, step.Unchanged),
			object("HostedCluster kv-00", step.OutcomeFailed, "")}, ""},
		{
			"half written", []step.Result{object("Secret kv-00-pull-secret", step.OutcomeDone, step.Created),
				object("HostedCluster kv-00", step.OutcomeFailed, "")},
			"the same command continues from there",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var errs bytes.Buffer
			a := cmdutil.NewFactory(cmdutil.Streams{Err: &errs}, nil)
			to, err := a.Connection.Connect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			err = create.Failed(t.Context(), a, to, optionstest.Valid(t, optionstest.Named(nil)),
				step.Report{Results: tc.results}, failed, false)
			var told *cmdutil.Resumable
			if errors.As(err, &told) != (tc.told != "") || !errors.Is(err, failed) {
				t.Fatalf("%+v", err)
			}
			if tc.told == "" {
				return
			}
			if !strings.Contains(told.Resume.String(), tc.told) || !strings.Contains(errs.String(), "kv-00") {
				t.Errorf("%q, %q", told.Resume, errs.String())
			}
		})
	}
}
