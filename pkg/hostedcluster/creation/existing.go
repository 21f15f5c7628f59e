package creation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// existingHint returns the advice about existing objects with the names of this cluster's objects.
func (p *Plan) existingHint() hint.Text {
	return hint.New("delete them (%s removes what an earlier cluster left), choose another %s, or use them on "+
		"purpose: --%s", hint.Run("delete cluster", hostedcluster.Argument(p.key().Namespace, p.key().Name)),
		hint.Flag("name"), options.AdoptFlag)
}

// refuseExisting fails if an object that a new cluster needs already exists and is not its own. It sets Continues to
// the objects of an unfinished create of this cluster.
func (p *Plan) refuseExisting(ctx context.Context, r kube.Reader) error {
	if p.exists || p.unchecked {
		return nil
	}
	wanted := objects.Companions(p.Options, p.Inputs)
	refused, continued, errs := make([]string, len(wanted)), make([]string, len(wanted)), make([]error, len(wanted))
	var wg sync.WaitGroup
	for i, want := range wanted {
		wg.Go(func() {
			have, err := readExisting(ctx, r, want)
			if err != nil || have == nil || have.GetDeletionTimestamp() != nil {
				errs[i] = err
				return
			}
			why := p.foreignReason(want, have)
			switch {
			case why == "":
				made := have.GetCreationTimestamp().UTC().Format(time.RFC3339)
				continued[i] = fmt.Sprintf("%s, made at %s", objectName(want), made)
			case !p.Options.AdoptExisting:
				refused[i] = describeConflict(want, have, why)
			}
		})
	}
	wg.Wait()
	empty := func(s string) bool { return s == "" }
	p.Continues = slices.DeleteFunc(continued, empty)
	if refused = slices.DeleteFunc(refused, empty); len(refused) > 0 {
		return failure.New(failure.Final, p.existingHint(),
			"hosted cluster %s is new, but objects with the names of its own are there already: %s", p.key(),
			strings.Join(refused, "; "))
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// readExisting reads an object. It returns nil if the object does not exist, or if the user may not read it: the create
// itself fails then.
func readExisting(ctx context.Context, r kube.Reader, want client.Object) (client.Object, error) {
	have := newLike(want)
	err := r.Get(ctx, client.ObjectKeyFromObject(want), have)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err), kube.IsKindMissing(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", objectName(want), err)
	}
	return have, nil
}

// newLike returns an empty object of the same kind to read into.
func newLike(o client.Object) client.Object {
	switch o.(type) {
	case *corev1.Secret:
		return &corev1.Secret{}
	case *corev1.ConfigMap:
		return &corev1.ConfigMap{}
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(o.GetObjectKind().GroupVersionKind())
	return u
}

// foreignReason returns why an object was not created for this cluster; empty if it was.
func (p *Plan) foreignReason(want, have client.Object) string {
	m, uid := hostedcluster.MarkOf(have), p.Inputs.UID
	switch {
	case m.Cluster == "":
		return "it has no mark of hcctl"
	case m.Cluster != p.key().String():
		return fmt.Sprintf("it is marked as that of HostedCluster %q", m.Cluster)
	case m.UID != "" && m.UID == uid:
		return ""
	case m.UID != "":
		return "it was made for an earlier HostedCluster of this name"
	case !hostedcluster.WrittenByHcctl(have):
		return "it is marked as this cluster's, but hcctl did not write it"
	case m.InfraID == "" || p.infraIDKnown() && m.InfraID != p.Inputs.InfraID:
		return fmt.Sprintf("it has infraID %q, and this cluster %s", m.InfraID, p.Inputs.InfraID)
	case !p.sameContent(want, have):
		return "its content is not what this create writes"
	}
	return ""
}

// describeConflict describes a conflicting object for an error.
func describeConflict(want, have client.Object, why string) string {
	return fmt.Sprintf("%s (%s; %s%s)", objectName(want), managerNames(have), why, risk(want))
}

// managerNames lists the field managers of an object. Clients choose these names themselves.
func managerNames(o client.Object) string {
	var names []string
	for _, entry := range o.GetManagedFields() {
		if name := fmt.Sprintf("%q", entry.Manager); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "it does not say who wrote it"
	}
	return "written by " + strings.Join(names, ", ")
}

// risk returns what an attacker who created the object would gain.
func risk(o client.Object) string {
	const putThere = "; whoever put it there "
	switch {
	case strings.HasSuffix(o.GetName(), hostedcluster.EncryptionKeyName("")):
		return putThere + "knows the key that etcd's Secrets are encrypted with"
	case strings.HasSuffix(o.GetName(), hostedcluster.SSHKeyName("")):
		return putThere + "decides who may log in to the nodes"
	}
	return ""
}

// objectName returns "Kind namespace/name".
func objectName(o client.Object) string {
	return o.GetObjectKind().GroupVersionKind().Kind + " " + kube.Name(o)
}

// foreignFinding returns the finding about an existing object that must not be used, because the cluster or the pool is
// new.
func (p *Plan) foreignFinding(ctx context.Context, r kube.Reader, want, have client.Object) (f step.Finding, is bool) {
	if p.Options.AdoptExisting || p.exists && p.poolOfConfig(want) == "" {
		return f, false
	}
	why := p.foreignReason(want, have)
	if why == "" {
		return f, false
	}
	exists, err := p.ownerExists(ctx, r, want)
	switch {
	case err != nil:
		return kube.Unknown(err).On("%s", objectName(want)), true
	case exists:
		return f, false
	}
	f = step.Broken("is there already: %s; %s%s", managerNames(have), why, risk(want)).On("%s", objectName(want))
	return f.WithHint("%s", p.existingHint()), true
}

// ownerExists reports whether the owner of the object exists: the NodePool of a ConfigMap for its nodes, otherwise the
// HostedCluster.
func (p *Plan) ownerExists(ctx context.Context, r kube.Reader, want client.Object) (bool, error) {
	var owner client.Object = &hyperv1.HostedCluster{}
	key := p.key()
	if pool := p.poolOfConfig(want); pool != "" {
		owner, key.Name = &hyperv1.NodePool{}, pool
	}
	err := r.Get(ctx, key, owner)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// poolOfConfig returns the NodePool that a ConfigMap is for; empty if there is none.
func (p *Plan) poolOfConfig(o client.Object) string {
	if _, is := o.(*corev1.ConfigMap); !is {
		return ""
	}
	for _, pool := range p.Options.NodePools {
		for i := range pool.Config {
			if name := pool.Name; hostedcluster.PoolConfigName(name, i) == o.GetName() {
				return name
			}
		}
	}
	return ""
}

// infraIDKnown reports whether the InfraID is final: from --infra-id, the HostedCluster, or an unfinished create.
func (p *Plan) infraIDKnown() bool { return p.Options.InfraID != "" || p.exists || p.continued }
