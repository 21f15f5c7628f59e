package nodepool

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/clusterapi"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// ensureObjects writes the Secrets and Cluster API's objects of a pool. It returns what the latter are made from, and
// whether there was no token yet.
func (p *pool) ensureObjects(ctx context.Context, hc *hyperv1.HostedCluster, t template,
	strategy strategy) (objects clusterapi.Pool, newToken bool, err error) {
	if objects, err = p.objects(hc, t, strategy); err != nil {
		return objects, false, err
	}
	cluster, err := p.ClusterAPI.EnsureCluster(ctx, p.namespace, hc.Spec.InfraID, client.ObjectKeyFromObject(hc))
	if err != nil {
		return objects, false, err
	}
	if newToken, err = p.ensureStartSecrets(ctx, t, hc.Status.IgnitionEndpoint); err != nil {
		return objects, newToken, err
	}
	return objects, newToken, p.ClusterAPI.EnsurePool(ctx, cluster, objects)
}

func (p *pool) objects(hc *hyperv1.HostedCluster, t template, strategy strategy) (clusterapi.Pool, error) {
	taints, err := json.Marshal(p.np.Spec.Taints)
	if err != nil {
		return clusterapi.Pool{}, fmt.Errorf("encode the taints of NodePool %s/%s: %w", p.np.Namespace, p.np.Name, err)
	}
	most, least := "0", "0"
	if a := p.np.Spec.AutoScaling; a != nil {
		most, least = strconv.Itoa(int(a.Max)), strconv.Itoa(int(minimum(a)))
	}
	return clusterapi.Pool{
		Namespace: p.namespace, InfraID: hc.Spec.InfraID, ClusterName: hc.Name,
		NodePool: client.ObjectKeyFromObject(p.np), Template: t.name, Hash: t.hash, UserData: p.userData(t),
		Version: t.payload.Version, InPlace: strategy.inPlace, Replicas: strategy.desired, Surge: strategy.surge,
		Available: max(0, strategy.desired-strategy.unavailable), Max: most, Min: least, Taints: string(taints),
	}, nil
}

// report writes the status of Cluster API's objects, and removes those of earlier templates after a roll-out.
func (p *pool) report(ctx context.Context, objects clusterapi.Pool, t template, strategy strategy) error {
	counts := clusterapi.Counts{}
	for i := range p.machines {
		m := &p.machines[i]
		if m.leaving() {
			continue
		}
		counts.Total++
		if m.healthy() {
			counts.Ready++
		}
		if strategy.inPlace || m.matches(t.hash) {
			counts.Updated++
		}
		if err := p.ClusterAPI.ReportMachine(ctx, p.namespace, m.state()); err != nil {
			return err
		}
	}
	if p.complete(t, strategy) {
		if err := p.ClusterAPI.RemoveOldSets(ctx, objects); err != nil {
			return err
		}
	}
	return p.ClusterAPI.ReportPool(ctx, objects, counts)
}

// state is what Cluster API tells of a machine.
func (m *machine) state() clusterapi.Machine {
	state := clusterapi.Machine{Name: m.vm.Name, Ready: m.ready(), Reason: m.reason, Message: m.message, Node: m.node}
	if m.node != nil {
		message, failed := nodeTrouble(m.node)
		state.Addresses, state.NodeMessage, state.NodeHealthy = m.node.Status.Addresses, message, !failed
	}
	return state
}

// release lets go of the Machines whose VirtualMachine is gone.
func (p *pool) release(ctx context.Context) error {
	for _, name := range p.released {
		if err := p.ClusterAPI.RemoveMachine(ctx, p.namespace, name); err != nil {
			return err
		}
		if err := p.ClusterAPI.ReleaseMachine(ctx, p.namespace, name); err != nil {
			return err
		}
		p.removed.Delete(p.namespace + "/" + name)
	}
	return nil
}

func (p *pool) userData(t template) string { return "user-data-" + p.np.Name + "-" + t.configVersion }

// ensureStartSecrets creates, once, the Secrets that a machine boots with: the token for its configuration, and its
// user data. It reports whether the token is new.
func (p *pool) ensureStartSecrets(ctx context.Context, t template, endpoint string) (newToken bool, err error) {
	name := p.userData(t)
	if _, done := p.started.Load(p.key() + name); done {
		return false, nil
	}
	if err := p.expireToken(ctx, t); err != nil {
		return false, err
	}
	note := map[string]string{metadata.NodePoolAnnotation: p.np.Namespace + "/" + p.np.Name}
	token := map[string]string{
		tokenConfigAnnotation: "true", tokenTimeAnnotation: time.Now().UTC().Format(time.RFC3339),
		tokenUpgradeAnnotation: string(p.np.Spec.Management.UpgradeType),
	}
	metadata.Add(&token, note)
	for _, s := range []*corev1.Secret{
		{ObjectMeta: metav1.ObjectMeta{Name: p.tokenName(t), Annotations: token}, StringData: map[string]string{
			"release": p.np.Spec.Release.Image, "reason": hyperv1.AsExpectedReason, "message": msgPayloadGenerated,
			"token": rand.String(32), "config": "", "additional-trust-bundle-hash": "", "hc-configuration-hash": "",
			"pull-secret-hash": "",
		}},
		{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: note},
			StringData: map[string]string{"value": ignitionOf(endpoint), "disableTemplating": "true"}},
	} {
		created, err := p.createSecret(ctx, s)
		if err != nil {
			return false, err
		}
		newToken = newToken || created && s.Name == p.tokenName(t)
	}
	p.started.Store(p.key()+name, true)
	return newToken, nil
}

// createSecret reports whether there was none.
func (p *pool) createSecret(ctx context.Context, s *corev1.Secret) (bool, error) {
	s.Namespace = p.namespace
	return createIn(ctx, p.Client, s)
}

func createIn(ctx context.Context, c client.Client, s *corev1.Secret) (bool, error) {
	switch err := c.Create(ctx, s); {
	case apierrors.IsAlreadyExists(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("create Secret %s/%s: %w", s.Namespace, s.Name, err)
	}
	return true, nil
}

func ignitionOf(endpoint string) string {
	return fmt.Sprintf(`{"ignition":{"config":{"merge":[{"source":"https://%s/ignition"}]},"version":"3.2.0"}}`, endpoint)
}

// copyUserData creates the provider's copy of the user data, which a VirtualMachine boots with, for the first machine.
func (p *pool) copyUserData(ctx context.Context, name string) error {
	if _, done := p.started.Load(p.key() + name + "-userdata"); done {
		return nil
	}
	source := &corev1.Secret{}
	if err := p.Client.Get(ctx, client.ObjectKey{Namespace: p.namespace, Name: name}, source); err != nil {
		return fmt.Errorf("get Secret %s/%s: %w", p.namespace, name, err)
	}
	_, err := createIn(ctx, p.vms, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name + "-userdata",
		Namespace: p.vmNamespace},
		Type: "cluster.x-k8s.io/secret", Data: map[string][]byte{"userdata": source.Data["value"]}})
	if err == nil {
		p.started.Store(p.key()+name+"-userdata", true)
	}
	return err
}

// expireToken has the token of the configuration before end two hours after there is a new one.
func (p *pool) expireToken(ctx context.Context, t template) error {
	old := p.np.Annotations[currentVersionAnnotation]
	if old == "" || old == t.configVersion {
		return nil
	}
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "token-" + p.np.Name + "-" + old}}
	patch := client.MergeFrom(s.DeepCopy())
	s.Annotations = map[string]string{tokenExpiryAnnotation: time.Now().Add(2 * time.Hour).UTC().Format(time.RFC3339)}
	if err := p.Client.Patch(ctx, s, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("let Secret %s/%s expire: %w", p.namespace, s.Name, err)
	}
	return nil
}

func (p *pool) tokenName(t template) string { return "token-" + p.np.Name + "-" + t.configVersion }

// noteReached marks the token: a machine has fetched its configuration with it.
func (p *pool) noteReached(ctx context.Context, t template) error {
	id := p.key() + p.tokenName(t) + "/reached"
	if _, done := p.started.Load(id); done || !poolIs(p.np, condReachedIgnitionEndpoint) {
		return nil
	}
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: p.tokenName(t)}}
	patch := client.MergeFrom(s.DeepCopy())
	s.Annotations = map[string]string{tokenIgnitionReached: "true"}
	if err := p.Client.Patch(ctx, s, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("mark Secret %s/%s: %w", p.namespace, s.Name, err)
	}
	p.started.Store(id, true)
	return nil
}

// Annotations of a token Secret.
const (
	tokenExpiryAnnotation  = "hypershift.openshift.io/ignition-token-expiration-timestamp"
	tokenConfigAnnotation  = "hypershift.openshift.io/ignition-config"
	tokenTimeAnnotation    = "hypershift.openshift.io/last-token-generation-time"
	tokenUpgradeAnnotation = "hypershift.openshift.io/node-pool-upgrade-type"
)
