package archive

import (
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
)

// References are the names of the Secrets and ConfigMaps that a hosted cluster needs of its namespace, sorted. An
// archive has no others.
type References struct{ Secrets, ConfigMaps []string }

// ReferencesOf returns what the HostedCluster and its NodePools name.
func ReferencesOf(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool) (References, error) {
	var r References
	r.Secrets = append(r.Secrets, hc.Spec.PullSecret.Name, hc.Spec.SSHKey.Name)
	if e := hc.Spec.SecretEncryption; e != nil && e.AESCBC != nil {
		r.Secrets = append(r.Secrets, e.AESCBC.ActiveKey.Name)
		if e.AESCBC.BackupKey != nil {
			r.Secrets = append(r.Secrets, e.AESCBC.BackupKey.Name)
		}
	}
	if hc.Spec.AuditWebhook != nil {
		r.Secrets = append(r.Secrets, hc.Spec.AuditWebhook.Name)
	}
	if hc.Spec.ServiceAccountSigningKey != nil {
		r.Secrets = append(r.Secrets, hc.Spec.ServiceAccountSigningKey.Name)
	}
	if k := hc.Spec.Platform.Kubevirt; k != nil && k.Credentials != nil && k.Credentials.InfraKubeConfigSecret != nil {
		r.Secrets = append(r.Secrets, k.Credentials.InfraKubeConfigSecret.Name)
	}
	if hc.Spec.AdditionalTrustBundle != nil {
		r.ConfigMaps = append(r.ConfigMaps, hc.Spec.AdditionalTrustBundle.Name)
	}
	for i := range pools {
		for _, c := range slices.Concat(pools[i].Spec.Config, pools[i].Spec.TuningConfig) {
			r.ConfigMaps = append(r.ConfigMaps, c.Name)
		}
	}
	if hc.Spec.Configuration != nil {
		// Certificates, identity providers, authorities: the configuration names Secrets and ConfigMaps in many places, and
		// always as an object with a name.
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hc.Spec.Configuration)
		if err != nil {
			return r, err
		}
		names := namesIn(m)
		r.Secrets, r.ConfigMaps = append(r.Secrets, names...), append(r.ConfigMaps, names...)
	}
	r.Secrets, r.ConfigMaps = tidy(r.Secrets), tidy(r.ConfigMaps)
	return r, nil
}

// namesIn returns every string field called name.
func namesIn(value any) []string {
	var names []string
	switch v := value.(type) {
	case map[string]any:
		if name, ok := v["name"].(string); ok {
			names = append(names, name)
		}
		for _, inner := range v {
			names = append(names, namesIn(inner)...)
		}
	case []any:
		for _, inner := range v {
			names = append(names, namesIn(inner)...)
		}
	}
	return names
}

// tidy sorts names and removes empty ones and repetitions.
func tidy(names []string) []string {
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	slices.Sort(names)
	return slices.Compact(names)
}
