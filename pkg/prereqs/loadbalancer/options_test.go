package loadbalancer

import (
	"strings"
	"testing"
)

func TestValidateNamesFlagAndValue(t *testing.T) {
	for name, tc := range map[string]struct {
		ranges []string
		want   string
	}{
		"none": {nil, ""},
		"good": {[]string{"192.0.2.0/28", "2001:db8::/120"}, ""},
		"bad":  {[]string{"192.0.2.0/28", "nonsense"}, `loadBalancer.metallbRanges "nonsense": is neither`},
		"overlap": {[]string{"192.0.2.0/28", "192.0.2.15-192.0.2.20"},
			`loadBalancer.metallbRanges "192.0.2.15-192.0.2.20": shares addresses with "192.0.2.0/28"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Options{MetalLBRanges: tc.ranges}.Validate()
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
