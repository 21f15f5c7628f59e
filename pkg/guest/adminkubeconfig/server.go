package adminkubeconfig

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
)

// longestURL bounds the URL of a server: a DNS name has up to 253 characters.
const longestURL = 300

// server is the host, with the port if there is one, of an https URL that has nothing else.
func server(path string, n *yaml.Node) (string, error) {
	raw, err := text(path, n)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(raw)
	if err != nil || len(raw) > longestURL || !strings.HasPrefix(raw, "https://") {
		return "", refuse(path, "it is no URL of the form https://HOST:PORT")
	}
	switch rest := strings.TrimPrefix(raw, "https://"); {
	case u.User != nil || strings.Contains(rest, "@"):
		return "", refuse(path, "it has a user in it")
	case strings.ContainsAny(rest, "?#"):
		return "", refuse(path, "it has a query or a fragment")
	case strings.Contains(rest, "%"):
		return "", refuse(path, "it has a zone or an escape")
	case strings.TrimSuffix(rest, "/") != u.Host:
		return "", refuse(path, "it has a path")
	case !validHost(u.Host, u.Hostname()):
		return "", refuse(path, "its host is no DNS name and no IP address")
	case !validPort(u):
		return "", refuse(path, "its port is none from 1 to 65535")
	}
	return u.Host, nil
}

// validHost takes an IP address without a zone, in brackets if it is one of IPv6, and a DNS name.
func validHost(host, name string) bool {
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Zone() == "" && ip.Is6() == strings.HasPrefix(host, "[")
	}
	return !strings.HasPrefix(host, "[") && len(validation.IsDNS1123Subdomain(strings.ToLower(name))) == 0
}

// validPort takes no port at all, and one in decimal digits.
func validPort(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && port[0] != '0'
}
