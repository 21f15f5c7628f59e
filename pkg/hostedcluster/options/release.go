package options

import (
	"slices"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// Channel is an update channel of OpenShift, such as "stable-4.20".
type Channel struct {
	// Name is the full name, Kind for example "stable" and Minor for example "4.20".
	Name, Kind, Minor string
}

// channelForm matches OpenShift's update channels.
var channelForm = lazyregexp.New(`^(stable|fast|candidate|eus)-(\d+\.\d+)$`)

// maxChannel is the maximum length of a channel in the CRD, in characters.
const maxChannel = 100

// ParseChannel reads the name of an update channel. The error is an *Error.
func ParseChannel(s string) (Channel, error) {
	m := channelForm.FindStringSubmatch(s)
	if m == nil || len(s) > maxChannel {
		return Channel{}, Errorf("channel", s,
			"not an update channel; write it like stable-4.20, fast-4.20, candidate-4.20 or eus-4.20")
	}
	return Channel{Name: s, Kind: m[1], Minor: m[2]}, nil
}

// Stream is a stream of releases of OpenShift's CI, such as "4-stable-multi".
type Stream struct {
	Name string
	// Numbers are the first numbers of the versions in the stream, such as 4 and 20 for "4.20-stable-multi".
	Numbers []string
}

// streamForm matches the name of a stream. The name becomes part of a URL.
var streamForm = lazyregexp.New(`^(\d+)(?:\.(\d+)(?:\.(\d+))?)?-[a-z0-9][a-z0-9.-]{0,62}$`)

// ParseStream reads the name of a stream. The error is an *Error.
func ParseStream(s string) (Stream, error) {
	m := streamForm.FindStringSubmatch(s)
	if m == nil {
		return Stream{}, Errorf("releaseStream", s, "not the name of a stream; write it like 4-stable-multi")
	}
	return Stream{Name: s, Numbers: slices.DeleteFunc(m[1:], func(n string) bool { return n == "" })}, nil
}

// parseRelease parses the options that select the release, without a network request.
func (o Cluster) parseRelease(v *validated) (err error) {
	var given []string
	for _, f := range []struct{ field, value string }{{"releaseImage", o.ReleaseImage}, {"version", o.Version},
		{"releaseStream", o.ReleaseStream}} {
		if f.value != "" {
			given = append(given, f.field)
		}
	}
	if len(given) > 1 {
		return Errorf(given[1], "", "cannot be given together with --%s: each says which release it is to be",
			flagIn(Fields(), given[0]))
	}
	if o.ReleaseStream != "" {
		if v.ReleaseStream, err = ParseStream(o.ReleaseStream); err != nil {
			return err
		}
	}
	if o.Version != "" {
		version, ok := hostedcluster.ParseVersion(o.Version)
		if !ok || version.String() != o.Version {
			return Errorf("version", o.Version,
				"not an exact version; write it like 4.20.3, or ask for the newest of a channel: %s stable-4.20",
				hint.Flag("channel"))
		}
		v.Version = version
	}
	if o.Channel != "" {
		if v.Channel, err = ParseChannel(o.Channel); err != nil {
			return err
		}
	}
	if o.Channel != "" && o.Version != "" && !v.Version.MinorIn([]string{v.Channel.Minor}) {
		return Errorf("channel", o.Channel, "is of another minor version than %s %s", hint.Flag("version"), o.Version)
	}
	return nil
}
