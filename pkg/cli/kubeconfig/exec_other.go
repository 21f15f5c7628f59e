//go:build !unix

package kubeconfig

import "os"

// forwarded are the signals that are a running command's rather than hcctl's.
func forwarded() []os.Signal { return []os.Signal{os.Interrupt} }

// terminalSends tells whether the command has had the signal already: the console sends it to all.
func terminalSends(os.Signal) bool { return true }

func exitOf(p *os.ProcessState) int { return p.ExitCode() }
