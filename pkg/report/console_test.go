package report

import (
	"bytes"
	"testing"
)

// TestScreenFor goes through what decides on colour and redraw, with a console of Windows that cannot do either.
func TestScreenFor(t *testing.T) {
	for _, tt := range []struct {
		name           string
		env            map[string]string
		plain          bool
		redraw, colour bool
		// asked is whether the terminal is asked, which changes a console of Windows.
		asked bool
	}{
		{name: "a terminal", env: map[string]string{"TERM": "xterm"}, redraw: true, colour: true, asked: true},
		{name: "a console of Windows, which has no TERM", redraw: true, colour: true, asked: true},
		{name: "an old console of Windows", plain: true, asked: true},
		{name: "NO_COLOR", env: map[string]string{"NO_COLOR": "1"}, redraw: true, asked: true},
		{name: "an empty NO_COLOR", env: map[string]string{"NO_COLOR": ""}, redraw: true, colour: true, asked: true},
		{name: "NO_COLOR on an old console", env: map[string]string{"NO_COLOR": "1"}, plain: true, asked: true},
		{name: "CI", env: map[string]string{"CI": "true"}, colour: true, asked: true},
		{name: "a dumb terminal", env: map[string]string{"TERM": "dumb"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := false
			s, ok := screenFor(func() bool { asked = true; return !tt.plain }, func(name string) string { return tt.env[name] })
			if s.Redraw != tt.redraw || s.Colour != tt.colour || ok != (tt.asked && !tt.plain) || asked != tt.asked {
				t.Errorf("redraw %v, colour %v, ok %v, asked %v", s.Redraw, s.Colour, ok, asked)
			}
		})
	}
	if s := ScreenOf(&bytes.Buffer{}, func(string) string { return "" }); s.Redraw || s.Colour || s.Size != nil {
		t.Errorf("what is no terminal: %+v", s)
	}
}
