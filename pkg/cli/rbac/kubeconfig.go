package rbac

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// kubeconfigOutput is the output format that prints the kubeconfig of the ServiceAccount of a role for worker
// VMs.
const kubeconfigOutput = "kubeconfig"

func printKubeconfig(ctx context.Context, a *cmdutil.Factory, cmd *cobra.Command, roles *rbac.Roles) error {
	var accounts []client.ObjectKey
	for _, s := range roles.Subjects {
		if s.Kind == rbacv1.ServiceAccountKind && s.Namespace == roles.Namespace {
			accounts = append(accounts, client.ObjectKey{Namespace: s.Namespace, Name: s.Name})
		}
	}
	if !slices.Equal(roles.Purposes, []rbac.Purpose{rbac.Infra}) || len(accounts) != 1 || len(roles.Subjects) != 1 {
		return cmdutil.Misuse(cmd, errors.New("-o kubeconfig is for --for infra alone, with --namespace and one "+
			"--serviceaccount of that namespace"))
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	content, err := infrastructure.Kubeconfig(ctx, t.Client, accounts[0])
	if err != nil {
		return t.Clarify(ctx, err)
	}
	return a.Streams.Document(content)
}
