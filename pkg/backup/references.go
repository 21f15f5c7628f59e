package backup

import (
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
)

// references are the names of what a hosted cluster needs of its namespace.
type references struct{ secrets, configMaps []string }

// referencesOf returns what the HostedCluster and its NodePools name, sorted.
func referencesOf(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool) (references, error) {
	var r references
	r.secrets = append(r.secrets, hc.Spec.PullSecret.Name, hc.Spec.SSHKey.Name)
	if e := hc.Spec.SecretEncryption; e != nil && e.AESCBC != nil {
		r.secrets = append(r.secrets, e.AESCBC.ActiveKey.Name)
		if e.AESCBC.BackupKey != nil {
			r.secrets = append(r.secrets, e.AESCBC.BackupKey.Name)
		}
	}
	if hc.Spec.AuditWebhook != nil {
		r.secrets = append(r.secrets, hc.Spec.AuditWebhook.Name)
	}
	if hc.Spec.ServiceAccountSigningKey != nil {
		r.secrets = append(r.secrets, hc.Spec.ServiceAccountSigningKey.Name)
	}
	if k := hc.Spec.Platform.Kubevirt; k != nil && k.Credentials != nil && k.Credentials.InfraKubeConfigSecret != nil {
		r.secrets = append(r.secrets, k.Credentials.InfraKubeConfigSecret.Name)
	}
	if hc.Spec.AdditionalTrustBundle != nil {
		r.configMaps = append(r.configMaps, hc.Spec.AdditionalTrustBundle.Name)
	}
	for i := range pools {
		for _, c := range slices.Concat(pools[i].Spec.Config, pools[i].Spec.TuningConfig) {
			r.configMaps = append(r.configMaps, c.Name)
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
		r.secrets, r.configMaps = append(r.secrets, names...), append(r.configMaps, names...)
	}
	r.secrets, r.configMaps = tidy(r.secrets), tidy(r.configMaps)
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

// required are the Secrets without which the backup is of no use.
func required(hc *hyperv1.HostedCluster) []string {
	names := []string{hc.Spec.PullSecret.Name}
	if e := hc.Spec.SecretEncryption; e != nil && e.AESCBC != nil {
		names = append(names, e.AESCBC.ActiveKey.Name)
	}
	return names
}
