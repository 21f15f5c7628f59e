//go:build !unix

package program

import "os"

// Forwarded returns the signals that go to a running command.
func Forwarded() []os.Signal { return []os.Signal{os.Interrupt} }

// terminalSends reports whether the command has received the signal already: the console sends it to all
// processes.
func terminalSends(os.Signal) bool { return true }

func exitOf(p *os.ProcessState) int { return p.ExitCode() }
