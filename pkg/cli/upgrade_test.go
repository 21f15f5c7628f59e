package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	upgradecmd "github.com/hcctl/hcctl/pkg/cli/upgrade"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestUpdatesForPeopleAndPrograms(t *testing.T) {
	l := &upgrade.List{
		TypeMeta: step.NewTypeMeta("UpdateList"), Namespace: "clusters", Name: "kv-00", Version: "4.20.3",
		Image: "registry.example/x:4.20.3", Channel: "stable-4.20",
		Channels: []string{"stable-4.20"}, Ongoing: "4.20.4", Supported: []string{"4.20"},
		Upgradeable: &upgrade.Upgradeable{Status: "False", Reason: "Incompatible", Message: "operator foo"},
		Updates: []upgrade.Update{
			{Version: "4.21.0", Image: "registry.example/x:4.21.0", Source: upgrade.FromImageSet, ImageSet: "img4.21.0",
				Refused: "operator foo"},
			{Version: "4.20.5", Image: "registry.example/x:4.20.5", Source: upgrade.FromConditionalUpdates,
				Risks: []release.Risk{{Name: "Slow", Message: "may be slow", URL: "https://example.com"}}},
			{Version: "4.20.4", Image: "registry.example/x:4.20.4", Source: upgrade.FromUpdates},
		},
		NodePools: []upgrade.PoolVersion{{Name: "kv-00", Version: "4.20.2", Behind: true}, {Name: "new"}},
		Next:      hint.Run("upgrade cluster", "kv-00").Flag("version", "4.20.4").Text(), Why: "the newest",
	}
	var out bytes.Buffer
	a := cmdutil.NewFactory(cmdutil.Streams{Out: &out}, nil)
	if err := upgradecmd.PrintUpdates(a, l); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Hosted cluster clusters/kv-00 runs 4.20.3, channel stable-4.20.\n", "An upgrade to 4.20.4 is under way.\n",
		"It must not go to another minor version now (Incompatible): operator foo\n",
		"4.21.0    ClusterImageSet img4.21.0   not now: operator foo\n", "4.20.5    channel stable-4.20         risks: " +
			"Slow: may be slow (https://example.com)\n",
		"4.20.4    channel stable-4.20         recommended\n", "kv-00       4.20.2    older than the control plane\n", "new         -\n",
		"The newest.\nNext: hcctl upgrade cluster kv-00 --version 4.20.4\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, &out)
		}
	}
	out.Reset()
	if err := cmdutil.WriteJSON(&out, l); err != nil {
		t.Fatal(err)
	}
	conforms(t, "updates", out.Bytes())
	out.Reset()
	if err := cmdutil.WriteJSON(&out, &upgrade.List{TypeMeta: step.NewTypeMeta("UpdateList"),
		Supported: []string{}, Updates: []upgrade.Update{}, NodePools: []upgrade.PoolVersion{}}); err != nil {
		t.Fatal(err)
	}
	conforms(t, "updates", out.Bytes())
}
