package adminkubeconfig

import (
	"bytes"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The limits of what is parsed: large keys take long to verify.
const (
	maxToken        = 16 << 10
	maxKey          = 16 << 10
	maxModulusBits  = 8192
	maxCertificates = 256
)

// decodeBase64 returns the decoded field, which may have at most limit bytes.
func decodeBase64(path string, n *yaml.Node, limit int) ([]byte, error) {
	s, err := parseString(path, n)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, refuse(path, "it is not base64")
	}
	if len(data) > limit {
		return nil, refuse(path, "it has more than %d KB", limit>>10)
	}
	return data, nil
}

// certificates returns the certificates in PEM, without anything between them.
func certificates(path string, data []byte) ([]byte, error) {
	var clean bytes.Buffer
	for n := 0; ; n++ {
		block, rest := pem.Decode(data)
		if block == nil && n == 0 {
			return nil, refuse(path, "it has no certificate in PEM")
		}
		if block == nil {
			return clean.Bytes(), nil
		}
		if n == maxCertificates {
			return nil, refuse(path, "it has more than %d certificates", maxCertificates)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil || block.Type != "CERTIFICATE" || len(block.Headers) > 0 {
			return nil, refuse(path, "it has something other than certificates in PEM")
		}
		if public, is := certificate.PublicKey.(*rsa.PublicKey); is && public.N.BitLen() > maxModulusBits {
			return nil, refuse(path, "a certificate has a key of more than %d bits", maxModulusBits)
		}
		if err := pem.Encode(&clean, &pem.Block{Type: block.Type, Bytes: block.Bytes}); err != nil {
			return nil, refuse(path, "its certificates cannot be written")
		}
		data = rest
	}
}

// keyTypes are the PEM types of private keys.
func keyTypes() []string { return []string{"RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY"} }

// keyPair returns a client certificate and its key.
func keyPair(certificateNode, keyNode *yaml.Node) (certificate, key []byte, err error) {
	path := userField + ".client-certificate-data"
	data, err := decodeBase64(path, certificateNode, maxBytes)
	if err != nil {
		return nil, nil, err
	}
	certificate, err = certificates(path, data)
	if err != nil {
		return nil, nil, err
	}
	path = userField + ".client-key-data"
	if data, err = decodeBase64(path, keyNode, maxKey); err != nil {
		return nil, nil, err
	}
	block, rest := pem.Decode(data)
	one := block != nil && len(bytes.TrimSpace(rest)) == 0 && len(block.Headers) == 0
	if !one || !slices.Contains(keyTypes(), block.Type) {
		return nil, nil, refuse(path, "it is not one private key in PEM")
	}
	key = pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes})
	if _, err := tls.X509KeyPair(certificate, key); err != nil {
		return nil, nil, refuse(path, "it is not the key of the client certificate")
	}
	return certificate, key, nil
}

// token returns a bearer token: printable characters without spaces.
func token(path string, n *yaml.Node) (string, error) {
	if n == nil {
		return "", refuse(userField, "it has neither a client certificate nor a token")
	}
	s, err := parseString(path, n)
	switch {
	case err != nil:
		return "", err
	case len(s) > maxToken:
		return "", refuse(path, "it has more than %d KB", maxToken>>10)
	case strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", refuse(path, "it has characters that no token has")
	}
	return s, nil
}
