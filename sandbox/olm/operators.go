package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	configclientset "github.com/openshift/client-go/config/clientset/versioned"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/api/client/clientset/versioned"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/controller/operators/catalog"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/controller/operators/olm"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/lib/openshiftconfig"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/lib/operatorclient"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/lib/queueinformer"
	"github.com/sirupsen/logrus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// OLM v0.46.0's own intervals (the defaults of its cmd/catalog and cmd/olm).
const (
	catalogWakeup       = 15 * time.Minute
	olmWakeup           = 5 * time.Minute
	installPlanTimeout  = time.Minute
	bundleUnpackTimeout = 10 * time.Minute
)

// OLM's default images of registry pods and unpack jobs. OLM needs the values but never runs the images here.
const (
	configMapImage = "quay.io/operator-framework/configmap-operator-registry:latest"
	opmImage       = "quay.io/operator-framework/opm:latest"
	utilImage      = "quay.io/operator-framework/olm:latest"
)

// startCatalogOperator starts OLM's catalog operator (CatalogSources, Subscriptions, InstallPlans) and returns once its
// caches are filled. stopped is closed when the operator has ended.
func startCatalogOperator(ctx context.Context, opts options, scheme *runtime.Scheme,
	log *logrus.Logger) (stopped <-chan struct{}, err error) {
	// -1 sets no user for registry pods and unpack jobs. Catalogs with an address and bundles without images have none.
	op, err := catalog.NewOperator(ctx, opts.kubeconfig, clock.RealClock{}, log, catalogWakeup, configMapImage, opmImage,
		utilImage,
		opts.namespace, scheme, opts.retry, bundleUnpackTimeout, -1)
	if err != nil {
		return nil, fmt.Errorf("catalog operator: %w", err)
	}
	if err := raiseLimits(op, opts.speed); err != nil {
		return nil, fmt.Errorf("catalog operator: %w", err)
	}
	op.Run(ctx)
	select {
	case <-op.Ready():
		return op.Done(), nil
	case <-op.Done():
		return nil, errors.New("catalog operator ended before it was ready")
	}
}

// startOLMOperator starts OLM's operator for ClusterServiceVersions and OperatorGroups, and the controllers for
// Operators and OperatorConditions.
func startOLMOperator(ctx context.Context, config *rest.Config, log *logrus.Logger) (stopped <-chan error, err error) {
	mgr, err := newManager(config)
	if err != nil {
		return nil, fmt.Errorf("olm operator: %w", err)
	}
	options, err := olmOptions(config, log)
	if err != nil {
		return nil, fmt.Errorf("olm operator: %w", err)
	}
	op, err := olm.NewOperator(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("olm operator: %w", err)
	}
	op.Run(ctx)
	select {
	case <-op.Ready():
	case <-op.Done():
		return nil, errors.New("olm operator ended before it was ready")
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	return ended, nil
}

func olmOptions(config *rest.Config, log *logrus.Logger) ([]olm.OperatorOption, error) {
	clients, err := operatorclient.NewClientFromRestConfig(config)
	if err != nil {
		return nil, err
	}
	external, err := versioned.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	meta, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	openshift, err := configclientset.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	onOpenShift, err := openshiftconfig.IsAPIAvailable(clients.KubernetesInterface().Discovery())
	if err != nil {
		return nil, err
	}
	return []olm.OperatorOption{
		olm.WithLogger(log),
		olm.WithWatchedNamespaces(metav1.NamespaceAll),
		olm.WithResyncPeriod(queueinformer.ResyncWithJitter(olmWakeup, 0.2)),
		olm.WithExternalClient(external),
		olm.WithMetadataClient(meta),
		olm.WithOperatorClient(clients),
		olm.WithRestConfig(config),
		olm.WithConfigClient(openshift),
		olm.WithOpenshiftConfigAPIExists(onOpenShift),
	}, nil
}
