package options

import (
	"regexp"
	"slices"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// channelForm is that of OpenShift's update channels.
var channelForm = regexp.MustCompile(`^(stable|fast|candidate|eus)-(\d+\.\d+)$`)

// ParseChannel cuts an update channel such as "stable-4.20" into its kind and its minor version; false if it is none.
func ParseChannel(s string) (kind, minor string, ok bool) {
	m := channelForm.FindStringSubmatch(s)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

func isChannel(s string) bool { return channelForm.MatchString(s) }

func inChannelMinor(channel, version string) bool {
	_, minor, isChannel := ParseChannel(channel)
	v, ok := hostedcluster.ParseVersion(version)
	return isChannel && ok && minor == v.MinorName()
}

// validateRelease checks what can be known without asking anybody.
func (o Cluster) validateRelease() error {
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
		if _, err := ParseStream(o.ReleaseStream); err != nil {
			return err
		}
	}
	switch {
	case o.Version != "" && !hostedcluster.ExactVersion(o.Version):
		return Errorf(
			"version",
			o.Version,
			"not an exact version; write it like 4.20.3, or ask for the newest of a channel: --channel stable-4.20",
		)
	case o.Channel != "" && !isChannel(o.Channel):
		return Errorf(
			"channel",
			o.Channel,
			"not an update channel; write it like stable-4.20, fast-4.20, candidate-4.20 or eus-4.20",
		)
	case o.Channel != "" && o.Version != "" && !inChannelMinor(o.Channel, o.Version):
		return Errorf("channel", o.Channel, "is of another minor version than --version %s", o.Version)
	}
	return nil
}

// ParseStream reads the numbers that a stream's name begins with, such as 4 and 20 of "4.20-stable-multi". The error is
// a *Error.
func ParseStream(s string) (numbers []string, err error) {
	m := streamForm.FindStringSubmatch(s)
	if m == nil {
		return nil, Errorf("releaseStream", s, "not the name of a stream; write it like 4-stable-multi")
	}
	return slices.DeleteFunc(m[1:], func(n string) bool { return n == "" }), nil
}

// streamForm is that of a stream's name, such as "4-stable-multi". It becomes a part of a URL.
var streamForm = regexp.MustCompile(`^(\d+)(?:\.(\d+)(?:\.(\d+))?)?-[a-z0-9][a-z0-9.-]{0,62}$`)
