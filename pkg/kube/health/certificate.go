package health

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

// ExpiryNotice is how long before its end a certificate or a token is worth a warning.
const ExpiryNotice = 30 * 24 * time.Hour

// overdue is how long before its end a certificate that an operator renews by itself should have been renewed.
// HyperShift does it when 30 days are left (support/certs, ReconcileSignedCert, 4.12 to 4.23).
const overdue = 14 * 24 * time.Hour

// Validity is the time in which a certificate or token is valid. A zero From is long ago.
type Validity struct{ From, Until time.Time }

// ParseCertificates returns when all certificates in PEM are valid: the first end of a chain ends all of it. Errors
// have nothing of the content.
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

// And returns the time in which a certificate is valid as well.
func (v Validity) And(c *x509.Certificate) Validity {
	if c.NotBefore.After(v.From) {
		v.From = c.NotBefore.UTC()
	}
	if v.Until.IsZero() || c.NotAfter.Before(v.Until) {
		v.Until = c.NotAfter.UTC()
	}
	return v
}

// Certificate judges certificates in PEM at the API server's time now: StateWarning when ExpiryNotice or less is left,
// StateFailing once one has ended, StateUnknown for what is no certificate.
func Certificate(data []byte, now time.Time) Verdict {
	v, err := ParseCertificates(data)
	if err != nil {
		return Verdict{Finding: step.Unknown("%s", err)}
	}
	return v.Judge(now)
}

// Judge judges what somebody has to renew.
func (v Validity) Judge(now time.Time) Verdict { return v.judge(now, ExpiryNotice) }

// JudgeRenewed judges what an operator renews by itself: an end that is near means that it has not.
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
