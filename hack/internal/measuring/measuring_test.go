package measuring

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMedian(t *testing.T) {
	for _, tc := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 100, 2}, 3},
		{nil, 0},
	} {
		given := append([]float64(nil), tc.values...)
		if got := Median(tc.values); got != tc.want {
			t.Errorf("Median(%v) = %g, want %g", given, got, tc.want)
		}
		if diff := cmp.Diff(given, tc.values); diff != "" {
			t.Errorf("the values were changed (-want +got):\n%s", diff)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1000: "1000", 123.4: "123", 12.34: "12.3", 0.456: "0.46",
		-2.5: "-2.5"} {
		if got := Number(v); got != want {
			t.Errorf("Number(%g) = %s, want %s", v, got, want)
		}
	}
}

func TestRun(t *testing.T) {
	e, err := Feed(context.Background(), []string{"WORD=said"}, "given\n", "sh", "-c",
		"cat; echo $WORD >&2; printf half; exit 3")
	if err == nil {
		t.Error("exit code 3 is no error")
	}
	var said []string
	for _, line := range e.Said {
		said = append(said, line.Text)
		if line.After <= 0 || line.After > e.Took {
			t.Errorf("%+v of %s", line, e.Took)
		}
	}
	if diff := cmp.Diff([]string{"given", "said"}, said); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if string(e.Stdout) != "given\nhalf" || string(e.Stderr) != "said\n" {
		t.Errorf("stdout %q, stderr %q", e.Stdout, e.Stderr)
	}
	if e.Resident <= 0 {
		t.Errorf("%g MB", e.Resident)
	}
	if _, err := Run(context.Background(), nil, os.Args[0]+".not-there"); err == nil {
		t.Error("a program that is not there ran")
	}
}

func TestField(t *testing.T) {
	const text = "Name:\thcctl\nVmRSS:\t  1234 kB\nmodel name\t: A CPU: fast\n"
	for name, want := range map[string]string{"VmRSS": "1234 kB", "model name": "A CPU: fast", "Nothing": ""} {
		if got := FieldOf(text, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
