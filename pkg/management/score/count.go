package score

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Namespace and ConfigMap name the object in which a site publishes its count.
const (
	Namespace = "hcctl"
	ConfigMap = "capacity"
)

// Keys of the ConfigMap.
const (
	keyFree   = "hostedClustersFree"
	keySingle = "hostedClustersFreeSingleReplica"
	keyAt     = "countedAt"
)

// Count is the number of further hosted clusters that fit on a site, and the time of the count.
type Count struct {
	// Free counts those with a highly available control plane, FreeSingleReplica those with a single replica.
	Free, FreeSingleReplica int64
	// At is the time by the site's clock.
	At time.Time
}

// Less returns the count after this number of additional clusters.
func (c Count) Less(clusters int64) Count {
	return Count{Free: max(0, c.Free-clusters), FreeSingleReplica: max(0, c.FreeSingleReplica-clusters), At: c.At}
}

// Publish writes the count into the ConfigMap of this cluster. It creates the namespace if that is missing.
func Publish(ctx context.Context, c *kube.Client, count Count) (step.Change, error) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}
	if err := c.Get(ctx, client.ObjectKeyFromObject(ns), ns); err != nil {
		if _, err := c.CreateOnce(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}); err != nil {
			return "", fmt.Errorf("publish the count: %w", err)
		}
	}
	change, err := c.Apply(ctx, &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: ConfigMap},
		Data: map[string]string{
			keyFree:   strconv.FormatInt(max(0, count.Free), 10),
			keySingle: strconv.FormatInt(max(0, count.FreeSingleReplica), 10),
			keyAt:     count.At.UTC().Format(time.RFC3339),
		},
	})
	if err != nil {
		return "", fmt.Errorf("publish the count: %w", err)
	}
	return change, nil
}
