package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// GroupsID is the step ID of --groups.
const GroupsID step.ID = "services/group-roles"

// groupsName is the value of hostedcluster.ServiceLabel on the bindings.
const groupsName = "group-roles"

// bindingPrefix is the prefix of the bindings' names. bindingDigits digits of a hash follow.
const (
	bindingPrefix = "hcctl-group-"
	bindingDigits = 16
)

// GroupRoles is the service of --groups: it binds the provider's groups to roles in the hosted cluster, and removes its
// bindings that the map no longer lists.
func GroupRoles() service.Service {
	return service.Service{
		ID: GroupsID, Title: "roles of groups", Page: page, For: ready, Check: checkGroups, Apply: applyGroups,
	}
}

// bindingName returns the name of a group's binding. It depends on the role too, because the role of an existing
// binding cannot be changed.
func bindingName(group, role string) string {
	sum := sha256.Sum256([]byte(role + "\x00" + group))
	return bindingPrefix + hex.EncodeToString(sum[:])[:bindingDigits]
}

// bindings returns the wanted bindings, by name.
func bindings(i *options.ValidatedIdentity) map[string]*rbacv1.ClusterRoleBinding {
	out := map[string]*rbacv1.ClusterRoleBinding{}
	for group, role := range i.Groups {
		group = i.GroupName(group)
		b := &rbacv1.ClusterRoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
			ObjectMeta: metav1.ObjectMeta{Name: bindingName(group, role),
				Labels: map[string]string{hostedcluster.ServiceLabel: groupsName}},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group}},
		}
		out[b.Name] = b
	}
	return out
}

// writtenByHcctl reports whether hcctl created a binding and its subject is unchanged. Other bindings are never
// removed.
func writtenByHcctl(b *rbacv1.ClusterRoleBinding) bool {
	return len(b.Subjects) == 1 && b.Subjects[0].Kind == rbacv1.GroupKind && hostedcluster.WrittenByHcctl(b) &&
		b.Name == bindingName(b.Subjects[0].Name, b.RoleRef.Name)
}

// compare returns the bindings to write and to remove.
func compare(ctx context.Context, r kube.Reader, i *options.ValidatedIdentity) (
	write, remove []*rbacv1.ClusterRoleBinding, err error) {
	list := &rbacv1.ClusterRoleBindingList{}
	if err := r.List(ctx, list, client.MatchingLabels{hostedcluster.ServiceLabel: groupsName}); err != nil {
		return nil, nil, err
	}
	want := bindings(i)
	for k := range list.Items {
		b := &list.Items[k]
		if !writtenByHcctl(b) {
			continue
		}
		if want[b.Name] != nil {
			delete(want, b.Name)
			continue
		}
		remove = append(remove, b)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		write = append(write, want[name])
	}
	return write, remove, nil
}

func checkGroups(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
	bounded, cancel := context.WithTimeout(ctx, guest.Timeout)
	defer cancel()
	hosted, err := t.GuestReader(bounded, r)
	if err != nil {
		return service.Unreached(err, t)
	}
	i, at := t.Options.TenantServices.Identity, "HostedCluster "+kube.Name(t.Cluster)
	write, take, err := compare(bounded, hosted, i)
	var f step.Finding
	switch {
	case err != nil:
		f = step.Unknown("its ClusterRoleBindings cannot be read: %s", kube.Explain(err))
	case len(write) > 0:
		f = step.Missing("group %q does not have the role %s", write[0].Subjects[0].Name, write[0].RoleRef.Name)
	case len(take) > 0:
		f = step.Missing("group %q still has the role %s", take[0].Subjects[0].Name, take[0].RoleRef.Name)
	default:
		f = step.OK("%s with a role", plural.Count(len(i.Groups), "group"))
	}
	return f.On("%s", at).RecheckAfter(guest.Timeout)
}

func applyGroups(ctx context.Context, t service.Tenant) (step.Change, error) {
	hosted, err := t.GuestClient(ctx)
	if err != nil {
		return "", err
	}
	write, take, err := compare(ctx, hosted, t.Options.TenantServices.Identity)
	if err != nil {
		return "", fmt.Errorf("ClusterRoleBindings of the hosted cluster: %w", err)
	}
	change := step.Unchanged
	for _, b := range write {
		one, err := hosted.Apply(ctx, b)
		change = step.Join(change, one)
		if err != nil {
			return change, err
		}
	}
	for _, b := range take {
		one, err := hosted.DeleteUnchanged(ctx, b)
		change = step.Join(change, one)
		if err != nil {
			return change, fmt.Errorf("hosted cluster: %w", err)
		}
	}
	return change, nil
}
