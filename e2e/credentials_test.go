package e2e

import (
	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// credentialsCommand: credentials FILE --token TOKEN
//
// writes a copy of KUBECONFIG to FILE in which every user has that token and nothing else.
func credentialsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || args[1] != "--token" {
		ts.Fatalf("usage: credentials FILE --token TOKEN")
	}
	cfg, err := clientcmd.LoadFromFile(ts.MkAbs(ts.Getenv("KUBECONFIG")))
	ts.Check(err)
	for name := range cfg.AuthInfos {
		cfg.AuthInfos[name] = &api.AuthInfo{Token: args[2]}
	}
	ts.Check(clientcmd.WriteToFile(*cfg, ts.MkAbs(args[0])))
}
