package subresource

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	gorilla "github.com/gorilla/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	kubetransport "github.com/hcctl/hcctl/pkg/kube/transport"
)

const (
	// bufferSize is the buffer size of client-go's streams, in bytes.
	bufferSize = 32 << 10
	// maxAnswer is the maximum number of bytes read from an answer that is not a stream.
	maxAnswer = 4 << 10
)

// upgrade opens a WebSocket with this subprotocol. It returns the API server's error if the server does not upgrade the
// connection.
//
// client-go's own round tripper loses virt-api's error, which is plain text: it decodes that as an empty Status.
func upgrade(cfg *rest.Config, request *http.Request, protocol string) (*gorilla.Conn, error) {
	settings, err := cfg.TransportConfig()
	if err != nil {
		return nil, err
	}
	dial := &dialer{proxy: cfg.Proxy, protocol: protocol}
	if dial.tls, err = transport.TLSConfigFor(settings); err != nil {
		return nil, err
	}
	if dial.proxy == nil {
		dial.proxy = http.ProxyFromEnvironment
	}
	credentials, err := transport.HTTPWrappersForConfig(settings, dial)
	if err != nil {
		return nil, err
	}
	answer, err := credentials.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if err := answer.Body.Close(); err != nil {
		return nil, errors.Join(err, dial.connection.Close())
	}
	return dial.connection, nil
}

// dialer is the innermost round tripper, below those that add the credentials.
type dialer struct {
	tls        *tls.Config
	proxy      func(*http.Request) (*url.URL, error)
	protocol   string
	connection *gorilla.Conn
}

// RoundTrip implements http.RoundTripper.
func (d *dialer) RoundTrip(request *http.Request) (*http.Response, error) {
	at := *request.URL
	at.Scheme = map[string]string{"https": "wss", "http": "ws"}[at.Scheme]
	dial := gorilla.Dialer{Proxy: d.proxy, TLSClientConfig: d.tls, Subprotocols: []string{d.protocol},
		ReadBufferSize: bufferSize, WriteBufferSize: bufferSize}
	connection, answer, err := dial.DialContext(request.Context(), at.String(), request.Header)
	switch {
	case errors.Is(err, gorilla.ErrBadHandshake) && answer != nil:
		return nil, cause(answer)
	case err != nil:
		return nil, d.asProxy(request, err)
	case connection.Subprotocol() != d.protocol:
		return nil, errors.Join(fmt.Errorf("the API server offers no stream of protocol %s", d.protocol), connection.Close())
	}
	d.connection = connection
	return answer, nil
}

// asProxy returns an error of a proxy as such. For a proxy that rejects the request, gorilla's error has only the
// status text.
func (d *dialer) asProxy(request *http.Request, err error) error {
	proxy, _ := d.proxy(request)
	var op *net.OpError
	if proxy == nil {
		return err
	}
	if errors.As(err, &op) && op.Op == "dial" {
		return &net.OpError{Op: "proxyconnect", Net: "tcp", Err: err}
	}
	if code := statusOf(err.Error()); code != 0 {
		return &kubetransport.ProxyError{Proxy: proxy.Host, Status: fmt.Sprintf("%d %s", code, err), Code: code}
	}
	return err
}

// statusOf returns the HTTP status code with this text; 0 if there is none.
func statusOf(words string) int {
	for code := http.StatusBadRequest; code < 600; code++ {
		if http.StatusText(code) == words {
			return code
		}
	}
	return 0
}

// cause returns the error in an answer that is not a stream: the Status if it has one, else the text.
func cause(answer *http.Response) error {
	defer answer.Body.Close() //nolint:errcheck // the body has been read
	body, _ := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	status := metav1.Status{}
	if json.Unmarshal(body, &status) == nil && status.Kind == "Status" && status.Code != 0 {
		return &apierrors.StatusError{ErrStatus: status}
	}
	if text := strings.Join(strings.Fields(string(body)), " "); text != "" {
		return fmt.Errorf("%s (%s)", text, answer.Status)
	}
	return errors.New(answer.Status)
}
