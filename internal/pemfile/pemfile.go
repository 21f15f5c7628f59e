// Package pemfile validates PEM files.
package pemfile

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// CheckCertificates accepts PEM certificates with text between the blocks (RFC 7468, 5.2), but no incomplete block. Its
// errors have line numbers and no content.
func CheckCertificates(content []byte) error {
	const begin = "-----BEGIN"
	line := func(rest []byte) int { return 1 + bytes.Count(content[:len(content)-len(rest)], []byte("\n")) }
	n, left := 0, content
	for {
		at := max(0, bytes.Index(left, []byte(begin)))
		left = left[at:]
		block, rest := pem.Decode(left)
		if block == nil {
			break
		}
		n++
		if broken := bytes.Count(left[:len(left)-len(rest)], []byte(begin)) > 1; broken {
			return fmt.Errorf("line %d: the certificate that begins here is not whole", line(left))
		}
		if block.Type != "CERTIFICATE" {
			return fmt.Errorf("line %d: block %d is a %s, not a CERTIFICATE", line(left), n, block.Type)
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fmt.Errorf("line %d: certificate %d cannot be read: %w", line(left), n, err)
		}
		left = rest
	}
	switch at := bytes.Index(left, []byte("-----")); {
	case n > 0 && at >= 0:
		return fmt.Errorf("line %d: the certificate that begins or ends here is not whole", line(left[at:]))
	case n == 0:
		return errors.New("not PEM certificates, each between -----BEGIN CERTIFICATE----- and -----END CERTIFICATE-----")
	}
	return nil
}
