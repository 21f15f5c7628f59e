package option_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/option"
)

func TestErrorIsOneSentence(t *testing.T) {
	pool := 1
	for want, e := range map[string]*option.Error{
		`memory "8": too little`:              {Field: "memory", Value: "8", Detail: "too little"},
		`nodePools[1].memory "8": too little`: {Field: "memory", Pool: &pool, Value: "8", Detail: "too little"},
		`httpProxy: not a URL`:                {Field: "httpProxy", Value: "", Detail: "not a URL"},
		`only: no step`:                       {Field: "only", Detail: "no step"},
		`timeout 0s: too short`:               {Field: "timeout", Value: time.Duration(0), Detail: "too short"},
	} {
		if e.Error() != want {
			t.Errorf("got %q, want %q", e.Error(), want)
		}
	}
}

// Whoever knows where a value came from names it, however deep the error is; the first name stays.
func TestLocated(t *testing.T) {
	variable := &option.Error{Field: "storage.mode", Value: "x", Detail: "wrong"}
	_ = option.Located(variable, func(*option.Error) string { return "HCCTL_STORAGE" })
	deep := hinted{errors.Join(variable, option.Errorf("memory", "8", "too little"), errors.New("else"))}
	got := option.Located(deep, func(e *option.Error) string { return "--" + e.Field }).Error()
	want := "HCCTL_STORAGE \"x\": wrong\n--memory \"8\": too little\nelse"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInPool(t *testing.T) {
	err := option.InPool(errors.Join(option.Errorf("cores", "0", "none"), option.Errorf("memory", "", "none")), 2)
	if want := "nodePools[2].cores \"0\": none\nnodePools[2].memory: none"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	var e *option.Error
	if !errors.As(fmt.Errorf("create: %w", err), &e) || e.Failure() != failure.Misused {
		t.Error("it is not wrong usage")
	}
}

type hinted struct{ error }

func (h hinted) Unwrap() error { return h.error }
