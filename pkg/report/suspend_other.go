//go:build !unix

package report

import "os"

// suspensions reports nothing: this system cannot suspend a process from the keyboard.
func suspensions() (suspended <-chan os.Signal, end func()) { return nil, func() {} }

func suspend(<-chan struct{}) {}
