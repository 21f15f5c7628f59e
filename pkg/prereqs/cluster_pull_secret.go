package prereqs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const pullSecretName = "Secret openshift-config/pull-secret"

// pullSecret: the management cluster's own pull secret, which hosted clusters get unless told otherwise.
type pullSecret struct{ c *kube.Client }

func (s pullSecret) step() step.Step {
	return step.Step{ID: ClusterPullSecret, Title: "pull secret", Check: s.check}
}

func (s pullSecret) check(ctx context.Context) step.Finding {
	secret := &corev1.Secret{}
	err := s.c.Get(ctx, types.NamespacedName{Namespace: "openshift-config", Name: "pull-secret"}, secret)
	switch {
	case apierrors.IsNotFound(err):
		return step.NotThere("there is no pull secret").On(pullSecretName).WithHint("give hosted clusters one of their own: hcctl create cluster --pull-secret FILE")
	case err != nil:
		return kube.Unread(err).On(pullSecretName)
	}
	registries, err := readPullSecret(secret.Data[corev1.DockerConfigJsonKey])
	if err != nil {
		return step.Stuck("%v", err).On(pullSecretName).WithHint("oc set data secret/pull-secret -n openshift-config --from-file=%s=FILE", corev1.DockerConfigJsonKey)
	}
	return step.Okay("credentials for %s", strings.Join(registries, ", ")).On(pullSecretName)
}

// readPullSecret returns the registries of a docker config, sorted, or says what is wrong with it. It never repeats what
// is in it, for the result is printed.
func readPullSecret(raw []byte) ([]string, error) {
	if len(raw) == 0 {
		return nil, fmt.Errorf("it has no key %s", corev1.DockerConfigJsonKey)
	}
	var config struct {
		Auths map[string]struct {
			Auth string `json:"auth"`
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
		decoded, err := base64.StdEncoding.DecodeString(config.Auths[registry].Auth)
		if err != nil || !strings.Contains(string(decoded), ":") {
			return nil, fmt.Errorf("the auth of %s is not base64 of user:password", registry)
		}
	}
	return registries, nil
}
