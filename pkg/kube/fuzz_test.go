package kube

import (
	"net/netip"
	"testing"
)

// FuzzSpans: spans of networks share addresses exactly where the networks do.
func FuzzSpans(f *testing.F) {
	f.Add("10.0.0.0/8", "10.1.2.3/32")
	f.Add("10.0.0.0/9", "10.128.0.0/9")
	f.Add("fd00::/8", "fd01::/16")
	f.Add("0.0.0.0/0", "::/0")
	f.Add("192.0.2.7/29", "192.0.2.8/29")
	f.Fuzz(func(t *testing.T, a, b string) {
		p, errA := netip.ParsePrefix(a)
		q, errB := netip.ParsePrefix(b)
		if errA != nil || errB != nil {
			return
		}
		s, o := SpanOf(p, "", "a"), SpanOf(q, "", "b")
		if want := p.Overlaps(q); s.Overlaps(o) != want || o.Overlaps(s) != want ||
			(len(Overlaps([]Span{s}, []Span{o})) == 1) != want {
			t.Errorf("%s and %s: %v, want %v", p, q, s.Overlaps(o), want)
		}
		if !p.Contains(s.From()) || !p.Contains(s.To()) || p.Contains(s.From().Prev()) || p.Contains(s.To().Next()) {
			t.Errorf("%s is from %s to %s", p, s.From(), s.To())
		}
	})
}
