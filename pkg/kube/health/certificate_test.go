package health_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestCertificate(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	until := func(left time.Duration) []byte { return kubetest.NewPairUntil("a", now.Add(left)).Certificate }
	key := kubetest.NewPair("a").Key
	for name, tc := range map[string]struct {
		data    []byte
		state   step.State
		message string
	}{
		"long":               {until(31 * day), step.StateOK, "ends at 2026-04-01"},
		"a moment too long":  {until(30*day + time.Second), step.StateOK, "ends at 2026-03-31"},
		"soon":               {until(30 * day), step.StateWarning, "ends at 2026-03-31"},
		"the last second":    {until(time.Second), step.StateWarning, "ends at 2026-03-01"},
		"over":               {until(0), step.StateFailing, "has ended at 2026-03-01"},
		"long over":          {until(-400 * day), step.StateFailing, "has ended at 2025-01-25"},
		"a chain":            {append(until(400*day), until(3*day)...), step.StateWarning, "ends at 2026-03-04"},
		"with a key":         {append(bytes.Clone(key), until(-day)...), step.StateFailing, "has ended at 2026-02-28"},
		"a key alone":        {key, step.StateUnknown, "it has no certificate in PEM"},
		"nothing":            {nil, step.StateUnknown, "it has no certificate in PEM"},
		"text":               {[]byte("secret"), step.StateUnknown, "it has no certificate in PEM"},
		"something else":     {[]byte("-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n"), step.StateUnknown, "it has a certificate that cannot be read"},
		"a broken successor": {append(until(400*day), "-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n"...), step.StateUnknown, "it has a certificate that cannot be read"},
	} {
		if v := health.Certificate(tc.data, now); v.State != tc.state || v.Message != tc.message {
			t.Errorf("%s: %s: %s, want %s: %s", name, v.State, v.Message, tc.state, tc.message)
		}
	}
}

func TestValidity(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		v             health.Validity
		judge, renews step.State
	}{
		"unknown":          {health.Validity{}, step.StateUnknown, step.StateUnknown},
		"not yet":          {health.Validity{From: now.Add(1), Until: now.Add(99 * day)}, step.StateFailing, step.StateFailing},
		"from now on":      {health.Validity{From: now, Until: now.Add(99 * day)}, step.StateOK, step.StateOK},
		"being renewed":    {health.Validity{From: now.Add(-340 * day), Until: now.Add(25 * day)}, step.StateWarning, step.StateOK},
		"should be by now": {health.Validity{From: now.Add(-351 * day), Until: now.Add(14 * day)}, step.StateWarning, step.StateWarning},
		"short lived":      {health.Validity{From: now.Add(-day), Until: now.Add(day)}, step.StateWarning, step.StateOK},
		"short, overdue":   {health.Validity{From: now.Add(-9 * day), Until: now.Add(day)}, step.StateWarning, step.StateWarning},
		"over":             {health.Validity{Until: now}, step.StateFailing, step.StateFailing},
	} {
		if got := tc.v.Judge(now).State; got != tc.judge {
			t.Errorf("%s: %s, want %s", name, got, tc.judge)
		}
		if got := tc.v.JudgeRenewed(now).State; got != tc.renews {
			t.Errorf("%s, renewed by an operator: %s, want %s", name, got, tc.renews)
		}
	}
}
