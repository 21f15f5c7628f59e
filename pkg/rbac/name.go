package rbac

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

const (
	maxName = 253
	// hashDigits is the number of hexadecimal digits of a SHA-256 in a name. They distinguish names with the same words.
	hashDigits = 10
)

// DefaultName returns a name from the purposes, the namespace, the clusters and the subjects, with a hash of them if
// there are more than purposes. So roles for different namespaces, clusters or subjects have different names. It is
// valid for an object of any kind.
func (r Roles) DefaultName() string {
	purposes := slices.DeleteFunc(Names(), func(name string) bool { return !slices.Contains(r.Purposes, Purpose(name)) })
	subjects := slices.Clone(r.Subjects)
	slices.SortFunc(subjects, func(a, b rbacv1.Subject) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	subjects = slices.Compact(subjects)
	clusters := strings.Fields(joined(slices.Clone(r.ClusterNames)))
	words := append([]string{"hcctl"}, purposes...)
	if r.Namespace == "" && len(clusters)+len(subjects) == 0 {
		return strings.Join(words, "-")
	}
	words = append(append(words, r.Namespace), clusters...)
	for _, s := range subjects {
		words = append(words, s.Namespace, s.Name)
	}
	return hashedName(strings.Join(words, "-"), []any{purposes, r.Namespace, clusters, subjects})
}

// hashedName returns a text as a valid object name of any kind, with a hash of about.
func hashedName(text string, about any) string {
	key, err := json.Marshal(about)
	if err != nil {
		key = []byte(text) // strings and lists of strings always marshal
	}
	sum := sha256.Sum256(key)
	hash := hex.EncodeToString(sum[:])[:hashDigits]
	word := strings.Trim(notPlain.ReplaceAllString(strings.ToLower(text), "-"), "-")
	return strings.TrimRight(word[:min(len(word), maxName-hashDigits-1)], "-") + "-" + hash
}

var notPlain = lazyregexp.New(`[^a-z0-9]+`)

// ParseName validates a user's name for roles and bindings. The error has the problem, but not the name.
func ParseName(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("%d characters: at most %d", len(name), maxName)
	}
	if problems := content.IsPathSegmentName(name); len(problems) > 0 {
		return errors.New(problems[0])
	}
	return nil
}

// policyName returns the name of the policy. Names of admission policies are stricter than those of roles.
func (r Roles) policyName() string {
	if len(validation.IsDNS1123Subdomain(r.Name)) == 0 {
		return r.Name
	}
	return hashedName(r.Name, r.Name)
}
