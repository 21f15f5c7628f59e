package pipelines_test

import (
	"path/filepath"
	"strings"
	"testing"
)

const play = `- hosts: localhost
  gather_facts: false
  roles:
  - role: hcctl
    vars: {hcctl_fleet: my fleet.yaml, hcctl_environment: prod}
`

// TestAnsible runs the role by ansible-playbook: in check mode it plans, otherwise it changes what has to change.
func TestAnsible(t *testing.T) {
	needs(t, "ansible-playbook", "ansible-core")
	const planned = "apply|-f|my_fleet.yaml|--dry-run|--env|prod|/secret/place|"
	const applied = "apply|-f|my_fleet.yaml|--yes|--env|prod|/secret/place|"
	for _, plan := range plans {
		t.Run(plan.name, func(t *testing.T) {
			for _, mode := range []string{"--syntax-check", "--check", "--diff"} {
				p := newPlace(t, plan.code, "ANSIBLE_LOCALHOST_WARNING=false", "ANSIBLE_NOCOWS=1")
				for _, name := range []string{"tasks/main.yml", "defaults/main.yml"} {
					p.write(filepath.Join("roles/hcctl", name), example(t, filepath.Join("ansible", name)))
				}
				p.write("play.yml", play)
				code, said := p.run("ansible-playbook", "--inventory=localhost,", "--connection=local", mode, "play.yml")
				if ok := plan.changes != "" || mode == "--syntax-check"; (code == 0) != ok {
					t.Errorf("%s ends with %d:\n%s", mode, code, said)
				}
				want := planned
				switch {
				case mode == "--syntax-check":
					want = ""
				case mode == "--diff" && plan.changes == "true":
					want += "\n" + applied
				}
				if got := strings.Join(p.calls(), "\n"); got != want {
					t.Errorf("%s: hcctl\n%s\nwant\n%s", mode, got, want)
				}
				if mode == "--check" && plan.changes != "" &&
					strings.Contains(said, "changed=1") != (plan.changes == "true") {
					t.Errorf("whether it would change something:\n%s", said)
				}
			}
		})
	}
}
