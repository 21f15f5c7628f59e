package catalog

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	operatorversion "github.com/operator-framework/api/pkg/lib/version"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/sandbox/profile"
)

//go:embed operators/*.yaml
var templates embed.FS

// bundleTemplate is a file under operators/ with the parts that every version of one operator shares. "$VERSION" in a
// value stands for the version of the bundle.
type bundleTemplate struct {
	DisplayName string `json:"displayName"`
	Description string `json:"description"`
	// CSV is the name of the ClusterServiceVersion up to the version, such as metallb-operator.v.
	CSV                string `json:"csv"`
	Provider           string `json:"provider"`
	MinKubeVersion     string `json:"minKubeVersion"`
	SuggestedNamespace string `json:"suggestedNamespace"`
	// InstallModes are the supported ones; the bundle lists the others as unsupported.
	InstallModes []operatorsv1alpha1.InstallModeType `json:"installModes"`
	Annotations  map[string]string                   `json:"annotations"`
	// CRDs are the CRD sets that the bundle contains and owns.
	CRDs []string `json:"crds"`
	// Requires are packages that OLM installs with this one, at the same version.
	Requires    []string     `json:"requires"`
	Deployments []deployment `json:"deployments"`
	// Since has what changed with later versions, oldest first.
	Since []change `json:"since"`
	// ClusterRules are the rules of each service account. There are no namespaced permissions: the simulated operators
	// use neither, and OLM would write two more objects for each.
	ClusterRules map[string][]rbacv1.PolicyRule `json:"clusterRules"`

	labels         map[string]string
	packagesConfig bool
}

// change is what bundles from one version on have in place of what the template says.
type change struct {
	Version        string                              `json:"version"`
	InstallModes   []operatorsv1alpha1.InstallModeType `json:"installModes"`
	MinKubeVersion string                              `json:"minKubeVersion"`
	// Replicas are those of the first Deployment.
	Replicas int32 `json:"replicas"`
	// Requires replaces the required packages; an empty list means none.
	Requires *[]string `json:"requires"`
	// Labels are labels of the ClusterServiceVersion.
	Labels map[string]string `json:"labels"`
	// PackagesConfig means that the bundle has odf-operator's ConfigMap of the packages that it looks after.
	PackagesConfig bool `json:"packagesConfig"`
}

// at is the template as a version has it.
func (r bundleTemplate) at(version semver.Version) (bundleTemplate, error) {
	r.Deployments = slices.Clone(r.Deployments)
	for _, c := range r.Since {
		since, err := semver.ParseTolerant(c.Version)
		if err != nil {
			return r, fmt.Errorf("since %q: %w", c.Version, err)
		}
		// A build such as 4.16.0-202511181227 counts as 4.16.
		if (semver.Version{Major: version.Major, Minor: version.Minor}).LT(since) {
			continue
		}
		if len(c.InstallModes) > 0 {
			r.InstallModes = c.InstallModes
		}
		r.MinKubeVersion = cmp.Or(c.MinKubeVersion, r.MinKubeVersion)
		if c.Replicas > 0 {
			r.Deployments[0].Replicas = c.Replicas
		}
		if c.Requires != nil {
			r.Requires = *c.Requires
		}
		if len(c.Labels) > 0 {
			r.labels = c.Labels
		}
		r.packagesConfig = r.packagesConfig || c.PackagesConfig
	}
	return r, nil
}

// deployment is one Deployment of the install strategy.
type deployment struct {
	Name           string            `json:"name"`
	Replicas       int32             `json:"replicas"`
	ServiceAccount string            `json:"serviceAccount"`
	Labels         map[string]string `json:"labels"`
	Container      string            `json:"container"`
	Image          string            `json:"image"`
	Command        []string          `json:"command"`
	Args           []string          `json:"args"`
	Env            map[string]string `json:"env"`
}

func loadTemplate(operator string) (bundleTemplate, error) {
	raw, err := templates.ReadFile("operators/" + operator + ".yaml")
	if err != nil {
		return bundleTemplate{}, err
	}
	var r bundleTemplate
	if err := yaml.UnmarshalStrict(raw, &r); err != nil {
		return bundleTemplate{}, fmt.Errorf("operators/%s.yaml: %w", operator, err)
	}
	return r, nil
}

// bundle makes one version of the operator. replaces is the name of the previous ClusterServiceVersion, or empty.
func (r bundleTemplate) bundle(pkg, version, replaces string, crds CRDs) (*Bundle, error) {
	parsed, err := semver.Parse(version)
	if err != nil {
		return nil, fmt.Errorf("version %q: %w", version, err)
	}
	if r, err = r.at(parsed); err != nil {
		return nil, err
	}
	b := &Bundle{Package: pkg, Requires: map[string]string{}}
	for _, set := range r.CRDs {
		list, err := crds(set, profile.OpenShiftOf(version))
		if err != nil {
			return nil, err
		}
		b.CRDs = append(b.CRDs, list...)
	}
	adaptCRDs(pkg, version, b.CRDs)
	for _, name := range r.Requires {
		b.Requires[name] = version
	}
	annotations := map[string]string{
		"operatorframework.io/suggested-namespace": r.SuggestedNamespace,
		"description": r.Description,
	}
	for k, v := range r.Annotations {
		annotations[k] = strings.ReplaceAll(v, "$VERSION", version)
	}
	const example = "operatorframework.io/initialization-resource"
	if annotations[example] != "" {
		annotations[example] = exampleOf(annotations[example], b.CRDs)
	}
	if annotations[example] == "" {
		delete(annotations, example)
	}
	b.CSV = &operatorsv1alpha1.ClusterServiceVersion{
		TypeMeta: metav1.TypeMeta{
			APIVersion: operatorsv1alpha1.SchemeGroupVersion.String(), Kind: operatorsv1alpha1.ClusterServiceVersionKind,
		},
		ObjectMeta: metav1.ObjectMeta{
			// Bundles carry a namespace without use; OLM replaces it.
			Name: r.CSV + version, Namespace: "placeholder", Annotations: annotations,
			Labels: map[string]string{"operatorframework.io/arch.amd64": "supported"},
		},
		Spec: operatorsv1alpha1.ClusterServiceVersionSpec{
			DisplayName: r.DisplayName, Description: r.Description, Maturity: "stable",
			Provider:                  operatorsv1alpha1.AppLink{Name: r.Provider},
			Version:                   operatorversion.OperatorVersion{Version: parsed},
			Replaces:                  replaces,
			MinKubeVersion:            r.MinKubeVersion,
			InstallModes:              r.installModes(),
			CustomResourceDefinitions: operatorsv1alpha1.CustomResourceDefinitions{Owned: owned(b.CRDs)},
			InstallStrategy:           r.strategy(version),
		},
	}
	maps.Copy(b.CSV.Labels, r.labels)
	if r.packagesConfig {
		config, err := packagesConfig(parsed)
		if err != nil {
			return nil, err
		}
		b.Others = append(b.Others, config)
		spec := &b.CSV.Spec.InstallStrategy.StrategySpec.DeploymentSpecs[0].Spec.Template.Spec
		spec.Containers[0].Env = append(spec.Containers[0].Env, corev1.EnvVar{Name: PackagesConfigEnv, Value: config.Name})
	}
	return b, nil
}

func (r bundleTemplate) installModes() []operatorsv1alpha1.InstallMode {
	supported := map[operatorsv1alpha1.InstallModeType]bool{}
	for _, m := range r.InstallModes {
		supported[m] = true
	}
	var out []operatorsv1alpha1.InstallMode
	for _, m := range []operatorsv1alpha1.InstallModeType{
		operatorsv1alpha1.InstallModeTypeOwnNamespace, operatorsv1alpha1.InstallModeTypeSingleNamespace,
		operatorsv1alpha1.InstallModeTypeMultiNamespace, operatorsv1alpha1.InstallModeTypeAllNamespaces,
	} {
		out = append(out, operatorsv1alpha1.InstallMode{Type: m, Supported: supported[m]})
	}
	return out
}

func (r bundleTemplate) strategy(version string) operatorsv1alpha1.NamedInstallStrategy {
	s := operatorsv1alpha1.NamedInstallStrategy{StrategyName: operatorsv1alpha1.InstallStrategyNameDeployment}
	// A bundle may have none, and the API wants a list.
	s.StrategySpec.DeploymentSpecs = []operatorsv1alpha1.StrategyDeploymentSpec{}
	for _, d := range r.Deployments {
		s.StrategySpec.DeploymentSpecs = append(s.StrategySpec.DeploymentSpecs, d.spec(version))
	}
	for _, account := range sortedKeys(r.ClusterRules) {
		s.StrategySpec.ClusterPermissions = append(s.StrategySpec.ClusterPermissions,
			operatorsv1alpha1.StrategyDeploymentPermissions{ServiceAccountName: account, Rules: r.ClusterRules[account]})
	}
	return s
}

func (d deployment) spec(version string) operatorsv1alpha1.StrategyDeploymentSpec {
	replicas := max(d.Replicas, 1)
	env := []corev1.EnvVar{{
		Name: "POD_NAMESPACE",
		ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1",
			FieldPath: "metadata.namespace"}},
	}}
	for _, k := range sortedKeys(d.Env) {
		env = append(env, corev1.EnvVar{Name: k, Value: strings.ReplaceAll(d.Env[k], "$VERSION", version)})
	}
	return operatorsv1alpha1.StrategyDeploymentSpec{
		Name: d.Name, Label: d.Labels,
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: d.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: d.Labels},
				Spec: corev1.PodSpec{
					ServiceAccountName: d.ServiceAccount,
					Containers: []corev1.Container{{
						Name: d.Container, Image: strings.ReplaceAll(d.Image, "$VERSION", version),
						Command: d.Command, Args: d.Args, Env: env,
					}},
				},
			},
		},
	}
}
