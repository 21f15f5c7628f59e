//go:build !unix

package kubeconfig

import "os"

// forwarded returns the signals that go to a running command.
func forwarded() []os.Signal { return []os.Signal{os.Interrupt} }

// terminalSends reports whether the command already got the signal: the console sends it to all.
func terminalSends(os.Signal) bool { return true }

func exitOf(p *os.ProcessState) int { return p.ExitCode() }
