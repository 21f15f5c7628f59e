package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/sirupsen/logrus"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// run serves the catalogs and runs OLM until ctx ends or one of them fails.
func run(ctx context.Context, opts options) error {
	// With this variable OLM assumes its own test suite and panics at objects without its labels.
	if err := os.Unsetenv("CI"); err != nil {
		return err
	}
	ctrl.SetLogger(zap.New())
	log := logrus.New()

	failed := make(chan error, len(opts.catalogs))
	addresses := map[string]string{}
	for name, dir := range opts.catalogs {
		srv, err := serve(ctx, dir, opts.preferred[name], failed)
		if err != nil {
			return fmt.Errorf("catalog %s: %w", name, err)
		}
		defer srv.stop()
		addresses[name] = srv.address
	}
	if err := writeJSON(opts.addresses, addresses); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", opts.kubeconfig)
	if err != nil {
		return err
	}
	// At speed 1 these limits make OLM as slow as in a real cluster.
	limitRequests(config, opts.speed)
	known, err := knownTypes()
	if err != nil {
		return err
	}

	type started struct {
		ended <-chan struct{}
		err   error
	}
	catalogOperator := make(chan started, 1)
	go func() {
		ended, err := startCatalogOperator(ctx, opts, known, log)
		catalogOperator <- started{ended, err}
	}()
	olmEnded, err := startOLMOperator(ctx, config, log)
	if err != nil {
		return err
	}
	other := <-catalogOperator
	if other.err != nil {
		return other.err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	case err := <-olmEnded:
		return errors.Join(errors.New("the OLM operator has ended"), err)
	case <-other.ended:
		if ctx.Err() != nil {
			return nil
		}
		return errors.New("the catalog operator has ended")
	}
}

// knownTypes returns a scheme with the kinds that the catalog operator applies besides its own.
func knownTypes() (*runtime.Scheme, error) {
	// This is client-go's shared scheme, as in OLM's own command, because parts of the operator use no other.
	s := scheme.Scheme
	return s, errors.Join(apiextensionsv1.AddToScheme(s), apiregistrationv1.AddToScheme(s))
}

// writeJSON writes the file atomically, because a reader waits for it to appear.
func writeJSON(file string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".tmp", raw, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".tmp", file)
}
