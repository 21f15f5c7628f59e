package cluster

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// PullSecret is the prerequisite of this file.
const PullSecret step.ID = "cluster/pull-secret"

var pullSecretKey = types.NamespacedName{Namespace: configNamespace, Name: "pull-secret"}

const pullSecretName = "Secret openshift-config/pull-secret"

// pullSecret checks the management cluster's own pull secret, which hosted clusters use by default.
type pullSecret struct {
	// pull is set for a hosted cluster that is about to be created: its own pull secret, if it has one, and its release
	// image. Without an image it is one of OpenShift's own releases.
	pull prereq.WantedPull
	// added is a file of entries to add, or "".
	added    string
	takeOver prereq.TakeOver
}

func (s pullSecret) prerequisite() prereq.Prerequisite {
	// The check of permissions reports all missing rights at once, so it comes first.
	p := prereq.Prerequisite{
		ID: PullSecret, Title: "pull secret", Needs: []step.ID{prereq.ClusterPermissions},
		Check: s.check,
		Rights: prereq.Rights{
			Check: slices.Concat(prereq.ReadMirrors(), []access.Rule{readPullSecretRule()}),
			Apply: []access.Rule{{Verbs: "patch", Resources: "secrets", Names: pullSecretKey.Name,
				At: access.In(configNamespace), Features: []access.Feature{access.PullSecret},
				Why: "adds entries for registries"}},
			Remove: []access.Rule{readPullSecretRule(), {Verbs: "patch", Resources: "secrets", Names: pullSecretKey.Name,
				At: access.In(configNamespace), Features: []access.Feature{access.PullSecret},
				Why: "takes out the entries that hcctl added"}},
		},
		Effects: []prereq.Effect{{By: owner.Hcctl, Kind: kube.Secret, Namespace: configNamespace, Name: pullSecretKey.Name,
			Field: []string{"metadata", "annotations", addedAnnotation}, As: "entries", TakenBack: true,
			Does:   "every node gets these credentials, without a drain or a restart",
			Remove: "oc edit secret pull-secret -n openshift-config"}},
		TakesOver: "replaces entries of registries that the given file has otherwise",
		Remove: []prereq.Removal{{ID: removePullSecret, Title: "entries of the pull secret",
			Needs: []step.ID{removeDigestMirrors, removeTagMirrors},
			Check: entriesRemoval{}.check, Apply: entriesRemoval{}.apply}},
		Preflight: &prereq.Preflight{Check: s.checkGiven},
	}
	if s.added != "" {
		p.Needs, p.Apply, p.Timeout = prereq.Gates(), s.apply, time.Hour
		// Foreign entries stay: only the text as a whole is replaced.
		p.Replaces = []string{"data"}
		p.Rights.Check = append(p.Rights.Check, readPools()...)
	}
	return p
}

func readPullSecretRule() access.Rule {
	return access.Rule{Verbs: "get", Resources: "secrets", Names: pullSecretKey.Name, At: access.In(configNamespace),
		Why: "which registries the pull secret gives access to"}
}

func (s pullSecret) check(ctx context.Context, r kube.Reader) step.Finding {
	if s.pull.Secret != nil {
		return s.checkOwn(ctx, r)
	}
	secret := &corev1.Secret{}
	err := r.Get(ctx, pullSecretKey, secret)
	switch {
	case apierrors.IsNotFound(err):
		return step.Missing("there is no pull secret").On(pullSecretName).
			WithHint("give hosted clusters one of their own: %s", hint.Run("create cluster").Flag("pull-secret", "FILE"))
	case err != nil:
		return kube.Unknown(err).On(pullSecretName)
	}
	if f := s.lacking(ctx, r, secret); f != nil {
		return *f
	}
	registries, _ := readPullSecret(secret.Data[corev1.DockerConfigJsonKey]) // judged below
	d, err := s.disconnection(ctx, r, registries)
	if err != nil {
		return kube.Unknown(err)
	}
	return judgePullSecret(secret, d, s.pull.Release).On(pullSecretName)
}

// disconnection reads the mirrors, and the default catalogs only if credentials are missing.
func (s pullSecret) disconnection(ctx context.Context, r kube.Reader, registries []string) (d prereq.Disconnection,
	err error) {
	d, err = prereq.Mirrored(ctx, r)
	if needed := neededRegistries(registries, d, s.pull.Release); err == nil &&
		len(needed.lacking)+len(needed.optional) > 0 {
		d.CatalogsOff, err = prereq.Disconnected(ctx, r)
	}
	return d, err
}

// checkGiven returns the check of the pull secrets for new hosted clusters; without one they get the management
// cluster's. It reports all failures in one finding.
func (pullSecret) checkGiven(w prereq.Wanted) kube.Check {
	pulls := w.Pulls
	if len(pulls) == 0 {
		pulls = []prereq.WantedPull{{}}
	}
	return func(ctx context.Context, r kube.Reader) step.Finding {
		findings := make([]step.Finding, 0, len(pulls))
		for _, pull := range pulls {
			findings = append(findings, pullSecret{pull: pull}.check(ctx, r))
		}
		return joinFindings(findings, pulls)
	}
}

// joinFindings returns the first finding that is not OK, with the messages of the others, or the first finding if all
// are OK.
func joinFindings(findings []step.Finding, pulls []prereq.WantedPull) step.Finding {
	if len(findings) == 1 {
		return findings[0]
	}
	var joined *step.Finding
	for i, f := range findings {
		message := fmt.Sprintf("hosted cluster %s: %s", pulls[i].Cluster, f.Message)
		switch {
		case f.State == step.StateOK:
		case joined == nil:
			f.Message = message
			joined = &f
		default:
			joined.Message += "; " + message
		}
	}
	if joined != nil {
		return *joined
	}
	return findings[0]
}

// judgePullSecret requires credentials for the registries of the release and of Red Hat's operators, or for their
// mirrors.
func judgePullSecret(secret *corev1.Secret, d prereq.Disconnection, release string) step.Finding {
	const replace = "oc set data secret/pull-secret -n openshift-config --from-file=" + corev1.DockerConfigJsonKey +
		"=FILE (%s)"
	if secret.Type != corev1.SecretTypeDockerConfigJson {
		return step.Broken("its type is %s, not %s", secret.Type, corev1.SecretTypeDockerConfigJson).
			WithHint("a Secret's type cannot be changed: give hosted clusters one of their own, %s",
				hint.Run("create cluster").Flag("pull-secret", "FILE"))
	}
	registries, err := readPullSecret(secret.Data[corev1.DockerConfigJsonKey])
	if err != nil {
		return step.Broken("%v", err).WithHint(replace, credentialsHint(nil))
	}
	needed := neededRegistries(registries, d, release)
	switch {
	case len(needed.lacking) > 0 && d.CatalogsOff:
		return step.OK("credentials for %s; none for the mirror %s, which is right if it needs none",
			prereq.Listed(registries), prereq.Listed(needed.lacking))
	case len(needed.lacking) > 0:
		f := step.Missing("no credentials for %s, which hosted clusters pull from (it has them for %s)",
			prereq.Listed(needed.lacking), prereq.Listed(registries))
		if release != "" && slices.Contains(needed.lacking, prereq.RegistryOf(release)) {
			return f.WithHint("give the hosted cluster a pull secret that has them too: %s; if %s asks for none: %s %s",
				hint.Run("create cluster").Flag("pull-secret", "FILE"), prereq.RegistryOf(release), hint.Flag("skip-preflight"),
				PullSecret)
		}
		return f.WithHint(replace, credentialsHint(needed.lacking))
	case len(needed.optional) > 0 && !d.CatalogsOff:
		return step.OK("credentials for %s; none for %s, which certified operators and telemetry use",
			prereq.Listed(registries), prereq.Listed(needed.optional))
	}
	return step.OK("credentials for %s", prereq.Listed(registries))
}

// credentialsHint describes how to get credentials for registries: Red Hat's pull secret has only those of its own
// registries.
func credentialsHint(lacking []string) string {
	for _, registry := range lacking {
		if !slices.Contains([]string{"quay.io", "registry.redhat.io"}, registry) {
			return fmt.Sprintf("with those of %s added: oc registry login --registry=%[1]s --auth-basic=USER:PASSWORD "+
				"--to=FILE", registry)
		}
	}
	return "a pull secret of console.redhat.com has all that is needed"
}

// needs are the registries without credentials.
type needs struct{ lacking, optional []string }

// neededRegistries compares the registries of a pull secret with the sources of images: the release (by default
// OpenShift's own) and Red Hat's operators. Mirrors replace a registry, and credentials for one of them are enough.
func neededRegistries(have []string, d prereq.Disconnection, release string) needs {
	var n needs
	has := func(registry string) bool {
		return slices.ContainsFunc(have, func(key string) bool { return prereq.RegistryOf(key) == registry })
	}
	for _, source := range []string{prereq.RepositoryOf(cmp.Or(release, "quay.io/openshift-release-dev/ocp-release")),
		"registry.redhat.io/multicluster-engine"} {
		var hosts []string
		for _, mirror := range d.MirrorsOf(source) {
			hosts = append(hosts, prereq.RegistryOf(mirror))
		}
		switch {
		case has(prereq.RegistryOf(source)) || slices.ContainsFunc(hosts, has):
		case len(hosts) > 0:
			n.lacking = append(n.lacking, hosts[0])
		default:
			n.lacking = append(n.lacking, prereq.RegistryOf(source))
		}
	}
	n.lacking = slices.Compact(n.lacking)
	for _, registry := range []string{"cloud.openshift.com", "registry.connect.redhat.com"} {
		if !has(registry) {
			n.optional = append(n.optional, registry)
		}
	}
	return n
}

// readPullSecret returns the registries of a docker config, sorted. Its errors never show the content, because they are
// printed.
func readPullSecret(raw []byte) ([]string, error) {
	if len(raw) == 0 {
		return nil, fmt.Errorf("it has no key %s", corev1.DockerConfigJsonKey)
	}
	var config struct {
		Auths map[string]struct {
			Auth     string `json:"auth"`
			Username string `json:"username"`
			Password string `json:"password"`
		} `json:"auths"`
	}
	if err := json.Unmarshal(raw, &config); err != nil {
		return nil, fmt.Errorf("%s is not JSON of the form {\"auths\":{...}}", corev1.DockerConfigJsonKey)
	}
	registries := slices.Sorted(maps.Keys(config.Auths))
	if len(registries) == 0 {
		return nil, fmt.Errorf("%s has no \"auths\"", corev1.DockerConfigJsonKey)
	}
	for _, registry := range registries {
		if entry := config.Auths[registry]; entry.Auth == "" && entry.Username != "" && entry.Password != "" {
			continue
		}
		decoded, err := base64.StdEncoding.DecodeString(config.Auths[registry].Auth)
		if err != nil || !strings.Contains(string(decoded), ":") {
			return nil, fmt.Errorf("the auth of %s is not base64 of user:password", registry)
		}
	}
	return registries, nil
}

// checkOwn checks a given pull secret, whose form was validated before.
func (s pullSecret) checkOwn(ctx context.Context, r kube.Reader) step.Finding {
	object := hint.Flag("pull-secret").String()
	registries, err := readPullSecret(s.pull.Secret)
	if err != nil {
		return step.Broken("%v", err).On("%s", object)
	}
	d, err := s.disconnection(ctx, r, registries)
	if err != nil {
		return kube.Unknown(err)
	}
	switch needed := neededRegistries(registries, d, s.pull.Release); {
	case len(needed.lacking) > 0 && d.CatalogsOff:
		return step.OK("credentials for %s; none for the mirror %s, which is right if it needs none",
			prereq.Listed(registries), prereq.Listed(needed.lacking)).On("%s", object)
	case len(needed.lacking) > 0:
		return step.Missing("no credentials for %s, which hosted clusters pull from (it has them for %s)",
			prereq.Listed(needed.lacking), prereq.Listed(registries)).On("%s", object).
			WithHint("%s", credentialsHint(needed.lacking))
	}
	return step.OK("credentials for %s", prereq.Listed(registries)).On("%s", object)
}
