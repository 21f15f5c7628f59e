//go:build !unix

package report

import "os"

// suspensions reports nothing: this system suspends no process from the keyboard.
func suspensions() (suspended <-chan os.Signal, end func()) { return nil, func() {} }

func suspend(<-chan struct{}) {}
