package kubelet

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/sandbox/dex"
)

// dexProgram is Dex, as its image has it.
const dexProgram = "/usr/local/bin/dex"

// runsDex reports whether a pod runs Dex.
func runsDex(pod *corev1.Pod) bool {
	return len(pod.Spec.Containers) == 1 && slices.Equal(pod.Spec.Containers[0].Command, []string{dexProgram}) &&
		len(pod.Spec.Containers[0].Args) == 2 && pod.Spec.Containers[0].Args[0] == "serve"
}

// answerDex plays Dex at the address of its Service, with the files of the pod's volumes, which are read anew for each
// connection. It listens where the Service does; the certificate is the one beside the configuration's directory.
func (s *services) answerDex(ctx context.Context, key types.NamespacedName, address string, pod *corev1.Pod) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[key] != nil {
		return nil
	}
	files := sshPod{s.live, pod.DeepCopy()}
	provider, err := dex.New(func(r *http.Request) ([]byte, error) {
		return files.file(r.Context(), files.pod.Spec.Containers[0].Args[1])
	})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("answer for Service %s: %w", key, err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: provider, TLSConfig: &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			const directory = "/etc/dex/tls/"
			cert, err := files.file(hello.Context(), directory+corev1.TLSCertKey)
			if err != nil {
				return nil, err
			}
			private, err := files.file(hello.Context(), directory+corev1.TLSPrivateKeyKey)
			if err != nil {
				return nil, err
			}
			pair, err := tls.X509KeyPair(cert, private)
			return &pair, err
		},
	}}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	s.open[key] = server
	return nil
}
