package gitops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/gitops"
)

// csvForm matches the name of a ClusterServiceVersion.
var csvForm = lazyregexp.New(`^[a-z0-9][-.a-z0-9]*\.v[0-9][-.+a-zA-Z0-9]*$`)

func newApprove(a *cmdutil.Factory) *cobra.Command {
	subscription := ""
	var change cmdutil.ChangeFlags
	cmd := &cobra.Command{
		Use:   "approve CSV --subscription NAME",
		Short: "Approve the InstallPlan of one pinned version of an operator, and wait until it is installed",
		Long: `approve waits for the InstallPlan of the version that the Subscription pins (startingCSV), approves it,
and waits until that version is installed. It approves no other version, and no plan that would install other
operators too. The hook of gitops init runs it inside of the hosted cluster; --namespace is that of the
Subscription.`,
		Example: "  hcctl gitops approve kubevirt-hyperconverged-operator.v4.20.1 \\\n" +
			"    --subscription kubevirt-hyperconverged --namespace openshift-cnv",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !csvForm.MatchString(args[0]) {
				return cmdutil.Misuse(cmd, fmt.Errorf("%s takes one version, such as kubevirt-hyperconverged-operator.v4.20.1",
					cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := change.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			namespace := a.Call.KubeFlags.Overrides.Context.Namespace
			if namespace == "" {
				return cmdutil.Misuse(cmd, errors.New("--namespace: missing; give that of the Subscription"))
			}
			if len(validation.IsDNS1123Subdomain(subscription)) > 0 {
				return cmdutil.Misuse(cmd, fmt.Errorf("--subscription %q: give the name of the operator's Subscription",
					subscription))
			}
			approval := gitops.Approval{Namespace: namespace, Subscription: subscription, CSV: args[0]}
			t, err := a.Connection.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return each.Only(cmd.Context(), a, t, &change, each.Work{Command: "gitops approve", Kind: "ApprovalPlan",
				Prepare: func(_ context.Context, t *cmdutil.Target, _ fleet.ClusterName) (each.Change, error) {
					return each.Change{
						Question: cmdutil.Textf("Approve %s in namespace %s on %s?", approval.CSV, namespace, t.Named()),
						Heading:  cmdutil.Textf("Approving %s in namespace %s on %s", approval.CSV, namespace, t),
						Done:     approval.CSV + " is installed.",
						Steps:    approval.Steps(t.Client),
					}, nil
				}})
		},
	}
	cmd.Flags().StringVar(&subscription, "subscription", "", "name of the operator's Subscription (required)")
	change.Bind(cmd, a, 30*time.Minute)
	cmdutil.Complete(cmd, "subscription")
	return cmd
}
