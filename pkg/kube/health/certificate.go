package health

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

// ExpiryNotice is the remaining validity below which a certificate or token gets a warning.
const ExpiryNotice = 30 * 24 * time.Hour

// overdue is the remaining validity below which an operator should already have renewed its certificate. HyperShift
// renews when 30 days are left (support/certs, ReconcileSignedCert, 4.12 to 4.23).
const overdue = 14 * 24 * time.Hour

// Validity is the validity period of a certificate or token. A zero From means no lower bound.
type Validity struct{ From, Until time.Time }

// ParseCertificates returns the period in which all PEM certificates of a chain are valid. Its errors contain no part
// of the data.
func ParseCertificates(data []byte) (Validity, error) {
	var v Validity
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			break
		}
		data = rest
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return Validity{}, errors.New("it has a certificate that cannot be read")
		}
		v = v.And(c)
	}
	if v.Until.IsZero() {
		return v, errors.New("it has no certificate in PEM")
	}
	return v, nil
}

// And returns the part of v in which the certificate is valid, too.
func (v Validity) And(c *x509.Certificate) Validity {
	if c.NotBefore.After(v.From) {
		v.From = c.NotBefore.UTC()
	}
	if v.Until.IsZero() || c.NotAfter.Before(v.Until) {
		v.Until = c.NotAfter.UTC()
	}
	return v
}

// Certificate judges PEM certificates at now, the API server's time: StateWarning if ExpiryNotice or less is left,
// StateFailing if one has expired, StateUnknown if data has no certificate.
func Certificate(data []byte, now time.Time) Verdict {
	v, err := ParseCertificates(data)
	if err != nil {
		return Verdict{Finding: step.Unknown("%s", err)}
	}
	return v.Judge(now)
}

// Judge judges a certificate or token that a user has to renew.
func (v Validity) Judge(now time.Time) Verdict { return v.judge(now, ExpiryNotice) }

// JudgeRenewed judges a certificate that an operator renews: if it expires soon, the renewal did not happen.
func (v Validity) JudgeRenewed(now time.Time) Verdict {
	const tenth = 10
	notice := overdue
	if !v.From.IsZero() {
		notice = min(notice, v.Until.Sub(v.From)/tenth)
	}
	return v.judge(now, notice)
}

func (v Validity) judge(now time.Time, notice time.Duration) Verdict {
	var out Verdict
	day := func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
	switch {
	case v.Until.IsZero():
		return Verdict{Finding: step.Unknown("when it ends is not known")}
	case !now.Before(v.Until):
		return out.with(step.StateFailing, "Expired", "has ended at %s", day(v.Until))
	case now.Before(v.From):
		return out.with(step.StateFailing, "NotYetValid", "is not valid before %s", day(v.From))
	case v.Until.Sub(now) <= notice:
		return out.with(step.StateWarning, "Expiring", "ends at %s", day(v.Until))
	}
	return out.with(step.StateOK, "", "ends at %s", day(v.Until))
}
