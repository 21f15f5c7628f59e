package adminkubeconfig

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
)

// maxURL limits the URL of a server: a DNS name has up to 253 characters.
const maxURL = 300

// server returns the host and port of a plain https URL.
func server(path string, n *yaml.Node) (string, error) {
	raw, err := parseString(path, n)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(raw)
	if err != nil || len(raw) > maxURL || !strings.HasPrefix(raw, "https://") {
		return "", refuse(path, "it is not a URL of the form https://HOST:PORT")
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
		return "", refuse(path, "its host is neither a DNS name nor an IP address")
	case !validPort(u):
		return "", refuse(path, "its port is not from 1 to 65535")
	}
	return u.Host, nil
}

// validHost accepts a DNS name or an IP address without a zone, IPv6 in brackets.
func validHost(host, name string) bool {
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Zone() == "" && ip.Is6() == strings.HasPrefix(host, "[")
	}
	return !strings.HasPrefix(host, "[") && len(validation.IsDNS1123Subdomain(strings.ToLower(name))) == 0
}

// validPort accepts no port, or one in decimal digits.
func validPort(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && port[0] != '0'
}
