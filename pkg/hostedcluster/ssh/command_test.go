package ssh

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheUsersSSHUnderstandsIt asks the ssh of this machine what it makes of the arguments.
func TestTheUsersSSHUnderstandsIt(t *testing.T) {
	program, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("there is no ssh here")
	}
	c := Command{Proxy: []string{"/opt/it's 100%/hcctl", "ssh-proxy"}, KnownHosts: "/tmp/a b/100%/known_hosts",
		Identity: "/tmp/a b/key", Options: []string{"StrictHostKeyChecking=yes", "ServerAliveInterval=7"}}
	// The user's configuration forwards both.
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("ForwardAgent yes\nForwardX11 yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(c.Arguments(), "-G", "-F", config, User+"@kv-00-a.clusters-kv-00")
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		"user core", "hostname kv-00-a.clusters-kv-00", "stricthostkeychecking true", "serveraliveinterval 7",
		"userknownhostsfile /tmp/a b/100%/known_hosts", "identityfile \"/tmp/a b/key\"", "identitiesonly yes",
		"forwardagent no", "forwardx11 no",
		`proxycommand '/opt/it'\''s 100%%/hcctl' 'ssh-proxy' %h %p`,
	} {
		if got := strings.ReplaceAll(string(out), "100%%/known", "100%/known"); !strings.Contains(got, want+"\n") &&
			!strings.Contains(strings.ReplaceAll(got, `"`, ""), strings.ReplaceAll(want, `"`, "")+"\n") {
			t.Errorf("ssh does not say %s in\n%s", want, out)
		}
	}
}

// TestCommandOnWindows: its ssh starts the proxy without a shell, so words have no quotes that are not needed, and
// paths no backslash, which ssh takes for an escape.
func TestCommandOnWindows(t *testing.T) {
	for _, tt := range []struct{ hcctl, want string }{
		{`C:\Users\a\hcctl.exe`, `ProxyCommand=C:/Users/a/hcctl.exe ssh-proxy %h %p`},
		{`C:\Program Files\100%\hcctl.exe`, `ProxyCommand="C:/Program Files/100%%/hcctl.exe" ssh-proxy %h %p`},
	} {
		c := Command{Proxy: []string{tt.hcctl, "ssh-proxy"}, KnownHosts: `C:\Users\a b\known_hosts`,
			Identity: `C:\Temp\key`, System: "windows"}
		args := strings.Join(c.Arguments(), "\n")
		for _, want := range []string{tt.want, `UserKnownHostsFile="C:/Users/a b/known_hosts"`, `IdentityFile="C:/Temp/key"`} {
			if !strings.Contains(args, want) {
				t.Errorf("no %s in\n%s", want, args)
			}
		}
	}
}
