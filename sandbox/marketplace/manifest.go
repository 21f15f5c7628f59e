package marketplace

import (
	"maps"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/catalog"
)

// The PackageManifest of packages.operators.coreos.com/v1, with the fields that the sandbox fills, by their names in
// OLM v0.46.0. Its Go type is part of OLM itself (pkg/package-server/apis), which would add all of OLM and its registry
// to the sandbox.
type (
	packageManifest struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct{}       `json:"spec"`
		Status            manifestStatus `json:"status"`
	}
	packageManifestList struct {
		metav1.TypeMeta `json:",inline"`
		metav1.ListMeta `json:"metadata"`
		Items           []packageManifest `json:"items"`
	}
	manifestStatus struct {
		CatalogSource            string                    `json:"catalogSource"`
		CatalogSourceDisplayName string                    `json:"catalogSourceDisplayName"`
		CatalogSourcePublisher   string                    `json:"catalogSourcePublisher"`
		CatalogSourceNamespace   string                    `json:"catalogSourceNamespace"`
		Provider                 operatorsv1alpha1.AppLink `json:"provider"`
		PackageName              string                    `json:"packageName"`
		Channels                 []manifestChannel         `json:"channels"`
		DefaultChannel           string                    `json:"defaultChannel"`
	}
	manifestChannel struct {
		Name           string          `json:"name"`
		CurrentCSV     string          `json:"currentCSV"`
		CurrentCSVDesc csvDescription  `json:"currentCSVDesc"`
		Entries        []manifestEntry `json:"entries"`
	}
	manifestEntry struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	csvDescription struct {
		DisplayName               string                                      `json:"displayName,omitempty"`
		Version                   string                                      `json:"version,omitempty"`
		Provider                  operatorsv1alpha1.AppLink                   `json:"provider"`
		Annotations               map[string]string                           `json:"annotations,omitempty"`
		Maturity                  string                                      `json:"maturity,omitempty"`
		LongDescription           string                                      `json:"description,omitempty"`
		InstallModes              []operatorsv1alpha1.InstallMode             `json:"installModes,omitempty"`
		CustomResourceDefinitions operatorsv1alpha1.CustomResourceDefinitions `json:"customresourcedefinitions"`
		MinKubeVersion            string                                      `json:"minKubeVersion,omitempty"`
		RelatedImages             []string                                    `json:"relatedImages,omitempty"`
	}
)

// manifestOf describes a package as the package server does. The labels are the package server's own, those of the
// CatalogSource, and those of the default channel's CSV.
func manifestOf(p catalog.Package, source *operatorsv1alpha1.CatalogSource) packageManifest {
	m := packageManifest{
		TypeMeta: metav1.TypeMeta{APIVersion: manifestGroup + "/" + manifestVersion, Kind: manifestKind},
		ObjectMeta: metav1.ObjectMeta{
			Name: p.Name, Namespace: source.Namespace, CreationTimestamp: created(source), Labels: map[string]string{},
		},
		Status: manifestStatus{
			CatalogSource: source.Name, CatalogSourceNamespace: source.Namespace,
			CatalogSourceDisplayName: source.Spec.DisplayName, CatalogSourcePublisher: source.Spec.Publisher,
			PackageName: p.Name, DefaultChannel: p.DefaultChannel,
		},
	}
	maps.Copy(m.Labels, source.Labels)
	m.Labels["catalog"] = source.Name
	m.Labels["catalog-namespace"] = source.Namespace
	for _, ch := range p.Channels {
		csv := ch.Head().CSV
		out := manifestChannel{Name: ch.Name, CurrentCSV: csv.Name, CurrentCSVDesc: describe(csv)}
		for i := len(ch.Bundles) - 1; i >= 0; i-- { // newest first
			b := ch.Bundles[i]
			out.Entries = append(out.Entries, manifestEntry{Name: b.Name(), Version: b.CSV.Spec.Version.String()})
		}
		m.Status.Channels = append(m.Status.Channels, out)
		if ch.Name == p.DefaultChannel {
			m.Status.Provider = csv.Spec.Provider
			m.Labels["provider"], m.Labels["provider-url"] = csv.Spec.Provider.Name, csv.Spec.Provider.URL
			maps.Copy(m.Labels, csv.Labels)
		}
	}
	return m
}

func describe(csv *operatorsv1alpha1.ClusterServiceVersion) csvDescription {
	d := csvDescription{
		DisplayName: csv.Spec.DisplayName, Version: csv.Spec.Version.String(), Provider: csv.Spec.Provider,
		Annotations: csv.Annotations, Maturity: csv.Spec.Maturity, LongDescription: csv.Spec.Description,
		InstallModes: csv.Spec.InstallModes, CustomResourceDefinitions: csv.Spec.CustomResourceDefinitions,
		MinKubeVersion: csv.Spec.MinKubeVersion,
	}
	for _, dep := range csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs {
		for _, c := range dep.Spec.Template.Spec.Containers {
			d.RelatedImages = append(d.RelatedImages, c.Image)
		}
	}
	return d
}
