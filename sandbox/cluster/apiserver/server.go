// Package apiserver runs a kube-apiserver as a child of the sandbox.
package apiserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
	"github.com/hcctl/hcctl/sandbox/cluster/pki"
	"github.com/hcctl/hcctl/sandbox/cluster/process"
	"github.com/hcctl/hcctl/sandbox/cluster/roles"
)

// Spec configures an API server.
type Spec struct {
	// Label names its log and its scratch directory.
	Label string
	// Program is another kube-apiserver, a file in sandbox-libexec (see ProgramOf); "" is the sandbox's own.
	Program string
	// Bind and Port are the listen address; port 0 takes a free one.
	Bind string
	Port int
	// Names are further DNS names or IP addresses of its serving certificate.
	Names []string
	// Prefix is the prefix of its keys in etcd.
	Prefix string
	// ServiceCIDR is the address range of Services of type ClusterIP.
	ServiceCIDR string
	// OpenAPI has it serve OpenAPI documents, as a server with a Program always does.
	OpenAPI bool
	// Authentication has it read structured authentication configuration, which SetAuthentication replaces.
	Authentication bool
	// Args are flags that follow all others.
	Args []string
	// GiveUp is called when it has ended by itself again and again, and does not start any more.
	GiveUp func(error)
	// Serving are certificates that exist already; nil makes new ones.
	Serving *Serving
}

// Serving is what a server serves with.
type Serving struct {
	pki.KeyPair
	// CA signed the key pair. ClientCA signed clients, besides the server's own authority. Both are PEM.
	CA, ClientCA []byte
	// Internal is for clients that call the server by the names in its certificate.
	Internal pki.KeyPair
}

// Server is a running kube-apiserver child with its certificates.
type Server struct {
	// Host is its URL.
	Host string
	// CA signed its own clients, and its serving certificate unless Spec.Serving has one.
	CA *pki.Authority
	// Roots are the authorities that its clients verify it with, PEM.
	Roots []byte
	// Admin is a cluster admin's client certificate.
	Admin pki.KeyPair
	// Token is the same user's token, for the sandbox's own clients: the server verifies a certificate at every request,
	// a twentieth of its time.
	Token string
	// Dir is the directory of its files; Log is the file of its output.
	Dir, Log string
	// Done is closed when it has been stopped, or has ended by itself too often.
	Done <-chan struct{}
	stop context.CancelCauseFunc
	// launch starts its process, always at the same address.
	launch func() error
	// release frees its port.
	release func()
}

// Start starts an API server as a child and returns at once; call WaitReady to wait for it. The child ends with life,
// and starts again if it ends by itself.
func Start(life context.Context, procs *process.Supervisor, db *etcd.Store, run string, spec Spec) (*Server, error) {
	s := &Server{Dir: filepath.Join(run, spec.Label), Log: filepath.Join(procs.Logs, spec.Label+".log"),
		release: func() {}}
	if err := s.makeCertificates(spec); err != nil {
		return nil, err
	}
	address, listen := &net.TCPAddr{IP: net.ParseIP(spec.Bind), Port: spec.Port}, net.ListenConfig{}
	if spec.Port == 0 || spec.Program != "" {
		// Nobody else, such as the client of another server, may get the port while the server is down.
		var err error
		if address, s.release, err = reserve(spec.Bind, spec.Port); err != nil {
			return nil, fmt.Errorf("listen for %s: %w", spec.Label, err)
		}
		context.AfterFunc(life, s.release)
		listen.Control = sharePort
	}
	s.Host = "https://" + address.String()
	args := s.args(spec, db, address.Port)
	start := func(ctx context.Context) (<-chan string, error) {
		if spec.Program != "" {
			return procs.StartWithFiles(ctx, spec.Label, spec.Program, append(args, "--permit-port-sharing"), nil, nil)
		}
		own := []string{roles.APIServer, "--" + roles.OpenAPIFlag + "=" + strconv.FormatBool(spec.OpenAPI)}
		// The child inherits the listener.
		file, err := listenFile(ctx, listen, address)
		if err != nil {
			return nil, fmt.Errorf("listen for %s: %w", spec.Label, err)
		}
		defer file.Close() //nolint:errcheck // the child has its own copy
		return procs.StartWithFiles(ctx, spec.Label, "", append(own, args...), nil, []*os.File{file})
	}
	s.launch = func() error {
		ctx, stop := context.WithCancelCause(life)
		done, err := procs.KeepStarting(ctx, spec.Label, spec.GiveUp, func() (<-chan string, error) { return start(ctx) })
		if err != nil {
			stop(nil)
			return err
		}
		s.Done, s.stop = done, stop
		return nil
	}
	if err := s.launch(); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// listenFile listens at the address and returns a copy of the listener's file.
func listenFile(ctx context.Context, config net.ListenConfig, address *net.TCPAddr) (*os.File, error) {
	listener, err := config.Listen(ctx, "tcp", address.String())
	if err != nil {
		return nil, err
	}
	defer listener.Close() //nolint:errcheck // the copy stays open
	tcp, ok := listener.(*net.TCPListener)
	if !ok {
		return nil, fmt.Errorf("a listener of type %T", listener)
	}
	return tcp.File()
}

func (s *Server) makeCertificates(spec Spec) error {
	ca, err := pki.NewAuthority("sandbox-ca")
	if err != nil {
		return err
	}
	proxyCA, err := pki.NewAuthority("sandbox-front-proxy-ca")
	if err != nil {
		return err
	}
	names := append([]string{
		"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
		pki.Loopback, spec.Bind,
	}, spec.Names...)
	serving, err := ca.Issue("kube-apiserver", nil, names)
	if err != nil {
		return err
	}
	proxy, err := proxyCA.Issue("front-proxy-client", nil, nil)
	if err != nil {
		return err
	}
	accounts, err := pki.NewAuthority("service-accounts")
	if err != nil {
		return err
	}
	accountKey, err := pki.EncodeKey(accounts.Key)
	if err != nil {
		return err
	}
	caKey, err := pki.EncodeKey(ca.Key)
	if err != nil {
		return err
	}
	if s.Admin, err = ca.Issue("admin", []string{"system:masters"}, nil); err != nil {
		return err
	}
	s.CA, s.Token, s.Roots = ca, rand.Text(), ca.PEM
	clients := ca.PEM
	if spec.Serving != nil {
		serving, s.Roots = spec.Serving.KeyPair, spec.Serving.CA
		clients = slices.Concat(ca.PEM, []byte("\n"), spec.Serving.ClientCA)
		err := pki.WriteFiles(s.Dir, map[string][]byte{
			"internal.crt": spec.Serving.Internal.Cert, "internal.key": spec.Serving.Internal.Key})
		if err != nil {
			return err
		}
	}
	return pki.WriteFiles(s.Dir, map[string][]byte{
		"tokens.csv": []byte(s.Token + `,admin,,"system:masters"` + "\n"),
		"ca.crt":     clients, "ca.key": caKey, "serving.crt": serving.Cert, "serving.key": serving.Key,
		authenticationFile: []byte(noProviders), "proxy-ca.crt": proxyCA.PEM,
		"proxy.crt": proxy.Cert, "proxy.key": proxy.Key, "accounts.key": accountKey,
	})
}

// args returns kube-apiserver's flags. It has no lease and no endpoint reconciler: it has no peers, and Endpoints do
// not allow its loopback address.
func (s *Server) args(spec Spec, db *etcd.Store, port int) []string {
	file := func(name string) string { return filepath.Join(s.Dir, name) }
	more := spec.Args
	if spec.Serving != nil {
		more = append([]string{"--tls-sni-cert-key=" + file("internal.crt") + "," + file("internal.key")}, more...)
	}
	if spec.Authentication {
		more = append([]string{"--authentication-config=" + file(authenticationFile)}, more...)
	}
	return append([]string{
		"--etcd-servers=" + db.Endpoint, "--etcd-prefix=" + spec.Prefix,
		"--bind-address=" + spec.Bind, "--secure-port=" + strconv.Itoa(port), "--advertise-address=" + pki.Loopback,
		"--endpoint-reconciler-type=none",
		"--tls-cert-file=" + file("serving.crt"), "--tls-private-key-file=" + file("serving.key"),
		"--client-ca-file=" + file("ca.crt"), "--token-auth-file=" + file("tokens.csv"),
		"--requestheader-client-ca-file=" + file("proxy-ca.crt"), "--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + file("proxy.crt"), "--proxy-client-key-file=" + file("proxy.key"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + file("accounts.key"), "--service-account-signing-key-file=" + file("accounts.key"),
		"--authorization-mode=RBAC", "--allow-privileged=true", "--service-cluster-ip-range=" + spec.ServiceCIDR,
		"--enable-priority-and-fairness=false", "--profiling=false", "--v=1",
	}, more...)
}

// authenticationFile has the providers whose tokens the server accepts; at first there are none.
const (
	authenticationFile = "authentication.yaml"
	noProviders        = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\njwt: []\n"
)

// SetAuthentication replaces the AuthenticationConfiguration, empty for none; the server notices it by itself.
func (s *Server) SetAuthentication(config []byte) error {
	if len(config) == 0 {
		config = []byte(noProviders)
	}
	name := filepath.Join(s.Dir, authenticationFile)
	if err := os.WriteFile(name+".new", config, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// Config returns a cluster admin's client configuration.
func (s *Server) Config() *rest.Config { return pki.ClientConfig(s.Host, s.Roots, s.Token) }

// WaitReady returns once the server answers /readyz.
func (s *Server) WaitReady(ctx context.Context) error {
	client, err := rest.HTTPClientFor(s.Config())
	if err != nil {
		return fmt.Errorf("reach API server: %w", err)
	}
	defer client.CloseIdleConnections()
	// A starting server has nothing to watch, so WaitReady polls.
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		last := readyz(ctx, client, s.Host)
		if last == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("API server %s is not ready: %w (log: %s)", s.Host, last, s.Log)
		case <-s.Done:
			return fmt.Errorf("API server %s ended before it was ready (log: %s)", s.Host, s.Log)
		case <-tick.C:
		}
	}
}

// Stop ends the server, which does not wait for its end.
func (s *Server) Stop() { s.stop(nil) }

// Kill does the same by SIGKILL.
func (s *Server) Kill() { s.stop(process.ErrKilled) }

// Close ends the server and waits until it has ended.
func (s *Server) Close(log *slog.Logger) {
	s.Stop()
	<-s.Done
	s.release()
	if err := os.RemoveAll(s.Dir); err != nil {
		log.Warn("leftover files of an API server", "error", err)
	}
}

// Restart starts a stopped server at its previous address.
func (s *Server) Restart() error { return s.launch() }
