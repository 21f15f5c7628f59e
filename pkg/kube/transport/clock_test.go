package transport

import (
	"net/http"
	"testing"
	"time"
)

// A clock that is set after the last answer changes nothing: only time that passed counts.
func TestNowGoesOnWhileTheClockIsSet(t *testing.T) {
	here := time.Now()
	c := &Clock{}
	c.record(http.Header{"Date": {here.UTC().Format(http.TimeFormat)}}, here)
	first := c.Now()
	if second := c.Now(); second.Before(first) || second.Sub(first) > time.Minute {
		t.Errorf("%s, then %s", first, second)
	}
	c.record(http.Header{"Date": {"nonsense"}}, here.Add(time.Hour))
	if off := c.Now().Sub(here); off > time.Minute {
		t.Errorf("an answer without a time moved it by %s", off)
	}
}
