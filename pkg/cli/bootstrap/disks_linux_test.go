package bootstrap

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/prereqs"
)

// typing is a terminal on which a person has typed a line.
func typing(t *testing.T, line string) *os.File {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { _ = person.Close() })
	var number, unlocked int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request,
			uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	if _, err := person.WriteString(line); err != nil {
		t.Fatal(err)
	}
	return program
}

// The question has the plan in view; who has agreed by the digest is asked nothing, and sees the plan all the same.
func TestShowDisks(t *testing.T) {
	plan := func(agreed ...string) prereqs.DiskPlan {
		s, err := prereqs.DiskOptions{Agreed: agreed}.Validate()
		if err != nil {
			t.Fatal(err)
		}
		p := prereqs.DiskPlan{Selection: s}
		p.Rows = append(p.Rows, prereqs.DiskRow{Taken: true, Why: "taken"})
		p.Rows[0].Node, p.Rows[0].Device, p.Rows[0].Model = "worker-0", "/dev/sdb", "evil\x1b[2J\nmodel"
		return p
	}
	digest := "sha256:" + strings.Repeat("a", 64)
	const question = "All that is on these disks is lost.\nTake them? [y/N] "
	for name, tc := range map[string]struct {
		typed string
		yes   bool
		plan  prereqs.DiskPlan
		fails bool
		asked bool
	}{
		"yes": {"y\n", false, plan(), false, true}, "no": {"n\n", false, plan(), true, true},
		"--yes": {"n\n", true, plan(), false, false}, "agreed": {"n\n", false, plan(digest), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			var shown bytes.Buffer
			a := &cmdutil.Factory{Streams: cmdutil.Streams{In: typing(t, tc.typed), Err: &shown}, Yes: tc.yes}
			consent := showDisks(a)
			if consent.Asks == tc.yes {
				t.Errorf("asks: %t", consent.Asks)
			}
			if err := consent.Show(t.Context(), tc.plan); (err != nil) != tc.fails {
				t.Errorf("got %v", err)
			}
			text := shown.String()
			if !strings.Contains(text, "worker-0  /dev/sdb") || strings.Contains(text, question) != tc.asked {
				t.Errorf("shown:\n%s", text)
			}
			if strings.ContainsAny(text, "\x1b") {
				t.Errorf("a disk controls the terminal: %q", text)
			}
		})
	}
}
