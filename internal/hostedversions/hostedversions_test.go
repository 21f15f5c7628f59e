package hostedversions_test

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/hostedversions"
)

// TestParse has what each operator lists, from the range in HyperShift's support/supportedversion.
func TestParse(t *testing.T) {
	for engine, tc := range map[string]struct{ listed, want string }{
		"2.3":            {`{"versions":["4.13","4.12","4.11"]}`, "4.13 4.12 4.11"},
		"2.4":            {`{"versions":["4.14","4.13","4.12"]}`, "4.14"},
		"2.5":            {`{"versions":["4.15","4.14","4.13"]}`, "4.15 4.14"},
		"2.6":            {`{"versions":["4.16","4.15","4.14","4.13"]}`, "4.16 4.15 4.14"},
		"2.7":            {`{"versions":["4.17","4.16","4.15","4.14"]}`, "4.17 4.16 4.15 4.14"},
		"to come":        {`{"versions":["5.0","4.23"]}`, "5.0 4.23"},
		"odd":            {`{"versions":["4.20","next"]}`, "4.20"},
		"nothing listed": {`{"versions":[]}`, ""},
		"no list":        {`{}`, ""},
	} {
		got, err := hostedversions.Parse(tc.listed)
		if err != nil || strings.Join(got, " ") != tc.want {
			t.Errorf("multicluster engine %s: got %v, %v, want %s", engine, got, err, tc.want)
		}
	}
	for _, data := range []string{"", "4.20", `{"versions":"4.20"}`} {
		if got, err := hostedversions.Parse(data); err == nil {
			t.Errorf("%q: got %v and no error", data, got)
		}
	}
}
