package score

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// WorkName names the ManifestWork in each site's namespace that reports its count.
const WorkName = "hcctl-capacity"

// manifest holds what a ManifestWork needs of an object that it only reads.
const manifest = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + ConfigMap + `","namespace":"` +
	Namespace + `"}}`

// Work returns the ManifestWork that makes a site's work agent report the count. The agent does not create, change or
// delete the ConfigMap: update strategy ReadOnly, which multicluster engine 2.7 and later supports.
func Work(site string) *workv1.ManifestWork {
	return &workv1.ManifestWork{
		TypeMeta:   metav1.TypeMeta{APIVersion: workv1.GroupVersion.String(), Kind: kube.ManifestWork.Kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: site, Name: WorkName},
		Spec: workv1.ManifestWorkSpec{
			Workload: workv1.ManifestsTemplate{Manifests: []workv1.Manifest{
				{RawExtension: runtime.RawExtension{Raw: []byte(manifest)}}}},
			DeleteOption: &workv1.DeleteOption{PropagationPolicy: workv1.DeletePropagationPolicyTypeOrphan},
			ManifestConfigs: []workv1.ManifestConfigOption{{
				ResourceIdentifier: workv1.ResourceIdentifier{Resource: "configmaps", Namespace: Namespace, Name: ConfigMap},
				UpdateStrategy:     &workv1.UpdateStrategy{Type: workv1.UpdateStrategyTypeReadOnly},
				FeedbackRules: []workv1.FeedbackRule{{Type: workv1.JSONPathsType, JsonPaths: []workv1.JsonPath{
					{Name: keyFree, Path: ".data." + keyFree},
					{Name: keySingle, Path: ".data." + keySingle},
					{Name: keyAt, Path: ".data." + keyAt},
				}}},
			}},
		},
	}
}
