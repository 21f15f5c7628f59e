package rbac

import (
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// Subjects returns the subjects for bindings: users and groups by name, service accounts as NAMESPACE:NAME. The error
// has the invalid value.
func Subjects(users, groups, serviceAccounts []string) ([]rbacv1.Subject, error) {
	var out []rbacv1.Subject
	add := func(kind string, names []string) error {
		for _, name := range names {
			if name == "" {
				return fmt.Errorf("a %s needs a name", strings.ToLower(kind))
			}
			out = append(out, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: kind, Name: name})
		}
		return nil
	}
	if err := add(rbacv1.UserKind, users); err != nil {
		return nil, err
	}
	if err := add(rbacv1.GroupKind, groups); err != nil {
		return nil, err
	}
	for _, account := range serviceAccounts {
		namespace, name, ok := strings.Cut(account, ":")
		if !ok || namespace == "" || name == "" || strings.Contains(name, ":") {
			return nil, fmt.Errorf("service account %q: it is written NAMESPACE:NAME", account)
		}
		out = append(out, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name})
	}
	return out, nil
}
