package options

import (
	"testing"

	"github.com/hcctl/hcctl/internal/option"
)

func TestParseRelease(t *testing.T) {
	for want, o := range map[string]Cluster{
		"": {Version: "4.20.3", Channel: "stable-4.20"},
		`--version: cannot be given together with --release-image: each says which release it is to be`: {ReleaseImage: "quay.io/a/b:c", Version: "4.20.3"},
		`--version "4.20": not an exact version; write it like 4.20.3, or ask for the newest of a channel: --channel ` +
			`stable-4.20`: {Version: "4.20"},
		`--channel "4.20": not an update channel; write it like stable-4.20, fast-4.20, candidate-4.20 ` +
			`or eus-4.20`: {Channel: "4.20"},
		`--channel "stable-4.19": is of another minor version than --version 4.20.3`: {Version: "4.20.3",
			Channel: "stable-4.19"},
		`--release-stream "../../x": not the name of a stream; write it like 4-stable-multi`: {ReleaseStream: "../../x"},
	} {
		got := ""
		if err := o.parseRelease(&validated{}); err != nil {
			got = option.Located(err, func(e *Error) string { return "--" + FlagOf(e) }).Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
