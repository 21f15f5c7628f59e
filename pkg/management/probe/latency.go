package probe

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	// syncLimit is etcd's requirement: a 99th percentile of fdatasync below 10 ms. Source: etcd's documentation, "FAQ",
	// wal_fsync_duration_seconds.
	syncLimit = 10 * time.Millisecond
	// syncWrites is the number of writes without fio.
	syncWrites = 200
	// syncBytes is the size of a write in bytes: the average of etcd's log in the test that etcd's documentation
	// recommends.
	syncBytes = 2300
)

func latency() Probe {
	return Probe{
		ID: "probe/storage-latency", Title: "write latency for etcd", Name: Storage,
		Wanted: func(o Options) bool { return o.Latency },
		Rests:  []step.ID{"storage/default-class"}, After: []step.ID{"probe/storage-etcd", "probe/storage-disk"},
		Rights: volumeRights(),
		Run:    func(ctx context.Context, s *session) step.Finding { return s.tryLatency(ctx) },
	}
}

func (s *session) tryLatency(ctx context.Context) step.Finding {
	class, f := s.class(ctx, s.options.Volumes.EtcdClass, storage.EtcdClass, "for etcd")
	if f != nil {
		return *f
	}
	object := "StorageClass " + class.Name
	claim := s.claim(class, etcdKind())
	if err := s.create(ctx, claim); err != nil {
		return failure(err).On("%s", object)
	}
	image, f := s.image(ctx)
	if f != nil {
		return *f
	}
	pod := s.pod("latency", image, latencyScript())
	s.use(pod, etcdKind().mode)
	words, found := s.runPod(ctx, pod)
	if found.State != step.StateOK {
		return s.unwritten(ctx, claim, found).On("%s", object)
	}
	m, err := parseLatency(words)
	if err != nil {
		return unknown("%v", err).On("Pod %s/%s", s.namespace, pod.Name)
	}
	return m.judge().On("%s", object)
}

// latencyScript measures with fio if the image has it, as etcd's documentation recommends. Otherwise it measures
// synchronous writes of dd, one process each. Both write one line for parseLatency.
func latencyScript() string {
	return fmt.Sprintf(`set -e
cd %[1]s
if command -v fio >/dev/null; then
  result=$(fio --name=etcd --directory=%[1]s --rw=write --ioengine=sync --fdatasync=1 \
    --size=22m --bs=%[2]d --output-format=json)
  ns=$(printf %%s "$result" | tr -d ' \n' | sed 's/.*"sync":{//' | grep -o '"99.000000":[0-9]*' |
    head -n 1 | cut -d: -f2)
  printf 'fio %%s\n' "$ns" > /dev/termination-log
  exit 0
fi
line=dd
for i in $(seq %[3]d); do
  begin=$(date +%%s%%N)
  dd if=/dev/zero of=%[1]s/log bs=%[2]d count=1 oflag=dsync,append conv=notrunc status=none
  line="$line $((($(date +%%s%%N) - begin) / 1000))"
done
printf '%%s\n' "$line" > /dev/termination-log`, dataPath, syncBytes, syncWrites)
}

// measurement is the 99th percentile of the latency of synchronous writes.
type measurement struct {
	p99 time.Duration
	// tool is fio or dd. With dd it includes the start of a process, so it is an upper bound.
	tool string
}

var (
	fioLine = lazyregexp.New(`^fio (\d{1,12})$`)
	ddLine  = lazyregexp.New(`^dd((?: \d{1,9})+)$`)
)

// parseLatency parses the line of latencyScript, and refuses anything else.
func parseLatency(words string) (measurement, error) {
	line := strings.TrimSuffix(words, "\n")
	if m := fioLine.FindStringSubmatch(line); m != nil {
		ns, err := strconv.ParseInt(m[1], 10, 64)
		return measurement{time.Duration(ns), "fio"}, err
	}
	m := ddLine.FindStringSubmatch(line)
	if m == nil {
		return measurement{}, fmt.Errorf("the pod wrote no measurement: %q", short(line))
	}
	var all []int64
	for _, field := range strings.Fields(m[1]) {
		us, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return measurement{}, fmt.Errorf("the pod wrote no measurement: %w", err)
		}
		all = append(all, us)
	}
	if len(all) != syncWrites {
		return measurement{}, fmt.Errorf("the pod wrote %d measurements, not %d", len(all), syncWrites)
	}
	slices.Sort(all)
	return measurement{time.Duration(all[len(all)*99/100-1]) * time.Microsecond, "dd"}, nil
}

// judge compares the measurement with etcd's requirement.
func (m measurement) judge() step.Finding {
	const rule = "etcd needs less than 10 ms (its documentation, FAQ, wal_fsync_duration_seconds)"
	rounded := m.p99.Round(10 * time.Microsecond)
	switch {
	case m.p99 < syncLimit && m.tool == "dd":
		return step.OK("99 %% of %d synchronous writes took at most %s, start of a process included", syncWrites, rounded)
	case m.p99 < syncLimit:
		return step.OK("the 99th percentile of fdatasync is %s, by fio", rounded)
	case m.tool == "dd":
		return step.Broken("the 99th percentile of %d synchronous writes is %s, the start of a process included; %s",
			syncWrites, rounded, rule).
			WithHint("measure exactly, with an image that has fio: %s",
				hint.Run("check").Flag("probe=storage").Flag("probe-latency").Flag("probe-image", "IMAGE"))
	}
	return step.Broken("the 99th percentile of fdatasync is %s, by fio; %s", rounded, rule).
		WithHint("give etcd faster disks: a class of SSD or NVMe, with create cluster %s", hint.Flag("etcd-storage-class"))
}
