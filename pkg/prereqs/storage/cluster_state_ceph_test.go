package storage

import (
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeCeph(t *testing.T) {
	now := time.Now()
	for name, tc := range map[string]struct {
		health  string
		lasts   time.Duration
		details map[string]string
		want    step.State
		says    string
	}{
		"well":     {"HEALTH_OK", time.Hour, nil, step.StateOK, "Ready"},
		"not told": {"", 0, nil, step.StateOK, "Ready"},
		"a warning": {"HEALTH_WARN", time.Hour, map[string]string{"OSD_NEARFULL": "1 nearfull osd(s)"},
			step.StateOK, "Ready; Ceph says HEALTH_WARN: OSD_NEARFULL (1 nearfull osd(s))"},
		"of a moment": {"HEALTH_ERR", time.Minute, map[string]string{"MDS_ALL_DOWN": "1 filesystem is offline"},
			step.StatePending, "MDS_ALL_DOWN"},
		"for long": {"HEALTH_ERR", time.Hour, map[string]string{"PG_DAMAGED": "", "OSD_SCRUB_ERRORS": "2 scrub errors"},
			step.StateBroken, "HEALTH_ERR: OSD_SCRUB_ERRORS (2 scrub errors), PG_DAMAGED"},
		"full": {"HEALTH_ERR", 0, map[string]string{"OSD_FULL": "3 full osd(s)"}, step.StateBroken, "Ceph is full"},
		"a pool is full": {"HEALTH_WARN", 0, map[string]string{"POOL_FULL": "12 pool(s) full"},
			step.StateBroken, "Ceph is full"},
	} {
		t.Run(name, func(t *testing.T) {
			details := map[string]any{}
			for code, message := range tc.details {
				details[code] = map[string]any{"severity": tc.health, "message": message}
			}
			ceph := kube.CephCluster.New()
			ceph.Object["status"] = map[string]any{"ceph": map[string]any{"health": tc.health, "details": details,
				"lastChanged": now.Add(-tc.lasts).UTC().Format(time.RFC3339)}}
			f := judgeCeph(ceph, now, step.OK("Ready"))
			prereqtest.Expect(t, f, tc.want, tc.says)
			if tc.want == step.StatePending && (!f.Trouble || f.Recheck <= 0 || f.Recheck > errorGrace) {
				t.Errorf("it is waited for as if nothing were wrong: %+v", f)
			}
		})
	}
}
