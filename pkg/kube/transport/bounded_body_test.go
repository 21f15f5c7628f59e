package transport

import (
	"io"
	"strings"
	"testing"
)

// A watch lasts as long as it likes, and one event of it has a limit.
func TestWatchEvents(t *testing.T) {
	events := map[string]string{
		"an endless event":       `{"type":"ADDED","object":{"metadata":{"name":"a","annotations":{"a":"`,
		"an event of many lines": "{\"type\":\"ADDED\",\n\n\"object\":{\n\n",
		"no event at all":        "\n\n\n\n",
	}
	fills := map[string]string{
		"an endless event":       "aaaaaaaa",
		"an event of many lines": "\"a\":{},\n",
		"no event at all":        "\n\n\n\n",
	}
	for name, begin := range events {
		t.Run(name, func(t *testing.T) {
			read := streamed(t, begin, fills[name])
			if read > 5<<20 {
				t.Errorf("%d MiB were read", read>>20)
			}
		})
	}
}

// streamed is how much of a watch was read when it was ended.
func streamed(t *testing.T, begin, fill string) int64 {
	t.Helper()
	meter := &boundedBody{
		ReadCloser: io.NopCloser(io.MultiReader(strings.NewReader(begin), repeated(fill))),
		json:       true, meter: jsonMeter{values: true},
		request: requestInfo{size: GuestLimits().Event}, fail: func(why string) error { return &TooLargeError{Why: why} },
	}
	n, err := io.Copy(io.Discard, meter)
	if !IsTooLarge(err) {
		t.Errorf("ended with %v after %d bytes", err, n)
	}
	return n
}

// Many events are more than one may be, and none is lost.
func TestManyEvents(t *testing.T) {
	event := `{"type":"MODIFIED","object":{"metadata":{"name":"a]}","annotations":{"a":"` +
		strings.Repeat(`\"}`, 1000) + "\"}}}}\n"
	body := &boundedBody{
		ReadCloser: io.NopCloser(io.LimitReader(repeated(event), int64(len(event)*5000))),
		json:       true, meter: jsonMeter{values: true},
		request: requestInfo{size: Size{20_000, 20_000}}, fail: func(why string) error { return &TooLargeError{Why: why} },
	}
	if n, err := io.Copy(io.Discard, body); err != nil || n != int64(len(event)*5000) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// repeated is a text without an end.
type repeated string

func (r repeated) Read(p []byte) (int, error) {
	return copy(p, strings.Repeat(string(r), len(p)/len(r)+1)), nil
}
