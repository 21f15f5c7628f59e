package design

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
)

func TestValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		o     Options
		wrong string
	}{
		"nothing said": {Options{}, ""},
		"all said": {Options{Profile: Lean, Encryption: true, Gateways: NoGateways, Spread: OverNodes, DeviceSets: 3,
			VirtualizationClass: LeaveClass, ConsolePlugin: LeavePlugin}, ""},
		"profile":              {Options{Profile: "tiny"}, "resourceProfile"},
		"gateways":             {Options{Gateways: "s3"}, "objectGateways"},
		"spread":               {Options{Spread: "racks"}, "spread"},
		"fewer than no disks":  {Options{DeviceSets: -1}, "deviceSets"},
		"too few for copies":   {Options{Spread: OverNodes, DeviceSets: 2}, "deviceSets"},
		"one set over zones":   {Options{Spread: OverZones, DeviceSets: 1}, ""},
		"virtualization class": {Options{VirtualizationClass: "yes"}, "virtualizationClass"},
		"console plugin":       {Options{ConsolePlugin: "off"}, "consolePlugin"},
	} {
		err := tc.o.Validate()
		var wrong *option.Error
		switch {
		case tc.wrong == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.wrong != "" && (!errors.As(err, &wrong) || wrong.Path() != "storage.dataFoundation."+tc.wrong):
			t.Errorf("%s: got %v, want one about %s", name, err, tc.wrong)
		}
	}
}

func TestImpossibleNamesTheRelease(t *testing.T) {
	for _, tc := range []struct {
		o             Options
		version, says string
	}{
		{Options{Profile: Lean}, "4.14.11", "resource profile lean: OpenShift Data Foundation 4.14 has no resource profiles"},
		{Options{Profile: Balanced}, "4.12.0", "OpenShift Data Foundation 4.12"},
		{Options{Profile: Lean}, "4.15.0", ""},
		{Options{VirtualizationClass: MarkClass}, "4.13.2", "4.13 makes no class for virtual machines"},
		{Options{VirtualizationClass: MarkClass}, "4.14.0", ""},
		{Options{VirtualizationClass: LeaveClass}, "4.13.2", ""},
		{Options{VirtualizationClass: LeaveClass}, "4.14.0", "4.14 always marks its class"},
		{Options{VirtualizationClass: LeaveClass}, "4.18.9", "4.18 always marks its class"},
		{Options{VirtualizationClass: LeaveClass}, "4.19.0", ""},
		{Options{Encryption: true, Gateways: NoGateways, Spread: OverZones, DeviceSets: 3}, "4.12.0", ""},
	} {
		got := strings.Join(tc.o.Impossible(semver.MustParse(tc.version)), "; ")
		if tc.says == "" && got != "" || !strings.Contains(got, tc.says) {
			t.Errorf("%+v on %s: got %q, want %q", tc.o, tc.version, got, tc.says)
		}
	}
}

func TestSetIn(t *testing.T) {
	const users = `"cephObjectStoreUsers":{"reconcileStrategy":"ignore"},"cephObjectStores":{"reconcileStrategy":"ignore"}`
	for want, o := range map[string]Options{
		`{}`:                                  {Spread: OverNodes, DeviceSets: 3, ConsolePlugin: LeavePlugin, Gateways: BothGateways},
		`{"resourceProfile":"lean"}`:          {Profile: Lean},
		`{"encryption":{"clusterWide":true}}`: {Encryption: true},
		`{"multiCloudGateway":{"reconcileStrategy":"ignore"}}`:                                    {Gateways: RADOS},
		`{"managedResources":{` + users + `}}`:                                                    {Gateways: Multicloud},
		`{"managedResources":{` + users + `},"multiCloudGateway":{"reconcileStrategy":"ignore"}}`: {Gateways: NoGateways},
	} {
		spec := map[string]any{}
		o.SetIn(spec)
		if got, err := json.Marshal(spec); err != nil || string(got) != want {
			t.Errorf("%+v: got %s (%v), want %s", o, got, err, want)
		}
	}
	spec := map[string]any{"managedResources": map[string]any{"cephBlockPools": map[string]any{"a": true}}}
	Options{Gateways: Multicloud}.SetIn(spec)
	if got, err := json.Marshal(spec); err != nil || string(got) !=
		`{"managedResources":{"cephBlockPools":{"a":true},`+users+`}}` {
		t.Errorf("beside block pools: got %s (%v)", got, err)
	}
}

func TestDifferences(t *testing.T) {
	const set = `"storageDeviceSets":[{"count":3}]`
	for name, tc := range map[string]struct {
		spec string
		o    Options
		want []string
	}{
		"nothing said": {set + `,"flexibleScaling":true,"resourceProfile":"Lean"`, Options{}, nil},
		"external":     {`"externalStorage":{"enable":true}`, Options{Encryption: true, Profile: Lean}, nil},
		"as said": {set + `,"flexibleScaling":true,"resourceProfile":"Lean","encryption":{"enable":true},` +
			`"multiCloudGateway":{"reconcileStrategy":"ignore"}`,
			Options{Profile: Lean, Encryption: true, Gateways: RADOS, Spread: OverNodes, DeviceSets: 3}, nil},
		"the operator's default profile": {set, Options{Profile: Balanced}, nil},
		"profile": {set, Options{Profile: Lean}, []string{"the resource profile is balanced, not lean: " +
			`oc patch storagecluster sc -n ns --type=merge -p '{"spec":{"resourceProfile":"lean"}}'`}},
		"encryption": {set, Options{Encryption: true}, []string{
			"the disks are not encrypted, and only those of a new StorageCluster can be"}},
		"the device set is encrypted": {`"storageDeviceSets":[{"count":3,"encrypted":true}]`, Options{Encryption: true}, nil},
		"the device set is not": {`"encryption":{"clusterWide":true},"storageDeviceSets":[{"count":3,"encrypted":false}]`,
			Options{Encryption: true}, []string{"the disks are not encrypted, and only those of a new StorageCluster can be"}},
		"a gateway too many": {set, Options{Gateways: RADOS}, []string{
			"it has the Multicloud Object Gateway: what it holds has to be moved and deleted by hand"}},
		"a gateway too few": {set + `,"managedResources":{"cephObjectStores":{"reconcileStrategy":"ignore"}}`,
			Options{Gateways: BothGateways}, []string{"it has no RADOS gateway: oc patch storagecluster sc -n ns --type=merge " +
				`-p '{"spec":{"managedResources":{"cephObjectStores":{"reconcileStrategy":"manage"}}}}'`}},
		"over nodes": {set + `,"flexibleScaling":true`, Options{Spread: OverZones}, []string{
			"it is spread over nodes, not zones, which only a new StorageCluster can change"}},
		"not over nodes": {set, Options{Spread: OverNodes}, []string{
			"it is not spread over nodes, which only a new StorageCluster can change"}},
		"more disks": {set, Options{DeviceSets: 5}, []string{"the count of its device set is 3, not 5: " +
			"hcctl bootstrap --grow-storage raises that of a StorageCluster that hcctl created"}},
		"fewer disks": {set, Options{DeviceSets: 2}, []string{"the count of its device set is 3, not 2, and it cannot be lowered"}},
		"marked": {set + `,"managedResources":{"cephBlockPools":{"defaultVirtualizationStorageClass":true}}`,
			Options{VirtualizationClass: LeaveClass}, []string{"it marks its class for virtual machines as their default: " +
				`oc patch storagecluster sc -n ns --type=merge -p ` +
				`'{"spec":{"managedResources":{"cephBlockPools":{"defaultVirtualizationStorageClass":false}}}}'`}},
	} {
		t.Run(name, func(t *testing.T) {
			sc := &unstructured.Unstructured{}
			if err := sc.UnmarshalJSON([]byte(`{"apiVersion":"ocs.openshift.io/v1","kind":"StorageCluster",` +
				`"metadata":{"name":"sc","namespace":"ns"},"spec":{` + tc.spec + `}}`)); err != nil {
				t.Fatal(err)
			}
			got := tc.o.Differences(sc)
			if strings.Join(got, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// The sums are those of contracts/odf.yaml, added by hand.
func TestWhatAStorageClusterRequests(t *testing.T) {
	for _, tc := range []struct {
		o        Options
		version  string
		disks    int64
		milliCPU int64
		mebibyte int64
	}{
		// mon 3x1, mgr 1, mds 2x3, osd 3x2, rgw 2, noobaa 0.999+0.5+0.999
		{Options{}, "4.14.9", 3, 18000 + 2498, (6 + 3 + 16 + 15 + 4 + 10) * 1024},
		// mon 3x1, mgr 2x1, mds 2x2, osd 3x2, rgw 2, noobaa
		{Options{}, "4.18.1", 3, 17000 + 2498, (6 + 3 + 12 + 15 + 2 + 10) * 1024},
		// from 4.19 on, NooBaa's database has two pods
		{Options{}, "4.20.1", 3, 17000 + 2998, (6 + 3 + 12 + 15 + 2 + 14) * 1024},
		{Options{Profile: Balanced}, "4.20.1", 3, 17000 + 2998, (6 + 3 + 12 + 15 + 2 + 14) * 1024},
		// the table of docs/checks/storage-cluster.md
		{Options{Profile: Lean}, "4.20.1", 3, 10000 + 2998, 33 * 1024},
		{Options{Profile: Performance}, "4.20.1", 3, 27500 + 2998, 71 * 1024},
		{Options{Profile: Lean, Gateways: NoGateways}, "4.20.1", 3, 1500 + 1000 + 2000 + 4500, (3 + 2 + 4 + 9) * 1024},
		{Options{Profile: Performance, Gateways: RADOS}, "4.20.1", 6, 4500 + 3000 + 6000 + 24000 + 2000,
			(9 + 4 + 16 + 48 + 4) * 1024},
		{Options{Gateways: Multicloud}, "4.20.1", 0, 9000 + 2998, (6 + 3 + 12 + 14) * 1024},
	} {
		got := Sum(tc.o.Daemons(semver.MustParse(tc.version), tc.disks))
		if got.MilliCPU != tc.milliCPU || got.Memory != tc.mebibyte<<20 {
			t.Errorf("%+v on %s with %d disks: got CPU %d, memory %s; want %d, %s", tc.o, tc.version, tc.disks, got.MilliCPU,
				capacity.Gibibytes(got.Memory), tc.milliCPU, capacity.Gibibytes(tc.mebibyte<<20))
		}
	}
}

func TestLines(t *testing.T) {
	got := strings.Join(Lines(Options{Gateways: Multicloud}.Daemons(semver.MustParse("4.20.1"), 4)), "\n")
	for _, want := range []string{"mgr             2 x CPU 1, memory 1.5Gi", "osd             4 x CPU 2, memory 5Gi",
		"noobaa-db       2 x CPU 0.5, memory 4Gi"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "rgw") {
		t.Errorf("a gateway that is not made is counted:\n%s", got)
	}
}
