package storage

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and of a removal. The removal of the HostPathProvisioner is prereq.RemoveHostPath.
const (
	HostPath            step.ID = "storage/hostpath"
	removeHostPathClass step.ID = "uninstall/hostpath-class"
)

// The names are those of the operator's examples.
const (
	hostPathName     = "hostpath-provisioner"
	hostPathPool     = "local"
	hostPathClass    = "hostpath-csi"
	hostPathDriver   = "kubevirt.io.hostpath-provisioner"
	hostPathWorkload = "hostpath-provisioner-csi"
	defaultHostPath  = "/var/hpvolumes"
	// hostPathConsequence is the warning for users who choose it.
	hostPathConsequence = "for labs: volumes are directories on the file system of one node each, which nothing keeps " +
		"from filling it, and worker VMs cannot be migrated live"
)

// hostPath makes volumes of node directories, with the hostpath provisioner of OpenShift Virtualization. Its operator
// supports a single HostPathProvisioner, so a foreign one is used as it is.
type hostPath struct{ common }

func (s hostPath) prerequisite() prereq.Prerequisite {
	wanted := []access.Feature{access.HostPath}
	const provisioners, classes = "hostpathprovisioners.hostpathprovisioner.kubevirt.io", "storageclasses.storage.k8s.io"
	out := prereq.Prerequisite{
		ID: HostPath, Title: "hostpath provisioner", Needs: prereq.Gates(),
		Check: s.check, Apply: s.apply, Timeout: 10 * time.Minute,
		Rights: prereq.Rights{
			Check: slices.Concat(planRights(), prereq.ReadWorkloads(), listStorage(provisioners)),
			Apply: []access.Rule{
				{Verbs: "get create patch", Resources: provisioners, Names: hostPathName, Features: wanted,
					Why: "the hostpath provisioner"},
				{Verbs: "get create patch", Resources: classes, Names: hostPathClass, Features: wanted,
					Why: "the class of the hostpath provisioner's volumes, which its operator does not make"}},
			Remove: []access.Rule{
				{Verbs: "get delete", Resources: provisioners, Names: hostPathName, Features: wanted,
					Why: fmt.Sprintf("%s: the hostpath provisioner", hint.Flag("include-storage"))},
				{Verbs: "get delete", Resources: classes, Names: hostPathClass, Features: wanted,
					Why: fmt.Sprintf("%s: the class of the hostpath provisioner's volumes", hint.Flag("include-storage"))}},
		},
		Effects: []prereq.Effect{{By: "the hostpath provisioner's operator", Kind: kube.SecurityContextConstraints,
			Name: hostPathWorkload, For: kube.HostPathProvisioner, TakenBack: true,
			Does: "privileged pods of service account hostpath-provisioner-admin-csi in its namespace are admitted"},
			{By: "the hostpath provisioner's driver", Kind: kube.Node, Labels: "hostpath.csi", For: kube.HostPathProvisioner,
				Does: "which node its volumes are on", Remove: "oc label node --all topology.hostpath.csi/node-"}},
		Remove: []prereq.Removal{
			removal.Object{Kind: kube.StorageClass, Name: hostPathClass, Blocked: claims{}.use}.
				Removal(removeHostPathClass, "class of the hostpath provisioner", removeDefaultMark),
			s.object().Removal(prereq.RemoveHostPath, "hostpath provisioner", removeHostPathClass)},
	}
	if s.o.Mode == ModeHostPath {
		out.Needs = []step.ID{prereq.HyperConverged} // its operator comes with it
	}
	return out
}

func (s hostPath) object() removal.Object { return guarded(kube.HostPathProvisioner, hostPathName) }

// path returns the directory on the nodes.
func (o Options) path() string {
	if o.HostPath == "" {
		return defaultHostPath
	}
	return o.HostPath
}

// hostPathPattern is the allowed syntax of a path on a node.
var hostPathPattern = lazyregexp.New(`^/var(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$`)

// validateHostPath refuses the node's own directories below /var. Elsewhere Red Hat CoreOS is read-only.
func (o Options) validateHostPath() error {
	const field, maxLength = "storage.hostPath", 255 // its webhook refuses more
	path := o.path()
	if len(path) > maxLength || !hostPathPattern.MatchString(path) {
		return option.Errorf(field, path, "use a directory below /var, such as %s, in letters, digits and ._- and with "+
			"at most %d characters: nodes can be written to only there", defaultHostPath, maxLength)
	}
	for _, own := range []string{"cache", "home", "lib", "log", "opt", "roothome", "run", "spool", "tmp", "usrlocal"} {
		if rest, in := strings.CutPrefix(path, "/var/"+own); in && (rest == "" || rest[0] == '/') {
			return option.Errorf(field, path, "the node has files of its own in /var/%s: use a directory that nothing "+
				"else uses, such as %s", own, defaultHostPath)
		}
	}
	return nil
}

func (s hostPath) check(ctx context.Context, r kube.Reader) step.Finding {
	if f := s.unneeded(ctx, r, sourceHostPath); f != nil {
		return *f
	}
	all, err := kube.ListStored(ctx, r, kube.HostPathProvisioner)
	if err != nil {
		return kube.Unknown(err).On("HostPathProvisioners")
	}
	if len(all) == 0 {
		return step.Missing("there is no HostPathProvisioner; volumes would be in %s of the nodes; mind that this is %s",
			s.o.path(), hostPathConsequence).On("HostPathProvisioner %s", hostPathName)
	}
	f := s.explained(ctx, r, &all[0], judgeHostPath(all))
	if f.State != step.StateOK {
		return f
	}
	classes, err := storageClasses(ctx, r)
	if err != nil {
		return *unread(err, "StorageClasses")
	}
	if hostPathClassOf(classes) == nil {
		return step.Missing("no StorageClass is for its volumes; mind that this is %s", hostPathConsequence).
			On("StorageClass %s", hostPathClass)
	}
	if path := kube.Text(&all[0], "spec", "pathConfig", "path"); path != "" {
		f.Message = "volumes in " + path
	} else {
		f.Message = "volumes in " + prereq.Text(kube.Maps(&all[0], "spec", "storagePools")[0], "path")
	}
	if s.o.HostPath != "" && !strings.HasSuffix(f.Message, " "+s.o.HostPath) {
		f.Message += ", and not in " + s.o.HostPath + ": one that exists is not changed"
	}
	f.Message += "; " + hostPathConsequence
	return f
}

// judgeHostPath judges the conditions of versions 4.12 to 5.1.
func judgeHostPath(all []unstructured.Unstructured) step.Finding {
	u := &all[0]
	object := "HostPathProvisioner " + u.GetName()
	if len(all) > 1 {
		var names []string
		for i := range all {
			names = append(names, all[i].GetName())
		}
		return step.Broken("there are %d of them, and its operator works for none: %s", len(all), prereq.Listed(names)).
			On("HostPathProvisioners").WithHint("delete those that no StorageClass and no volume needs: oc delete " +
			"hostpathprovisioner NAME")
	}
	f := prereq.JudgeObject(u, health.Conditions([]string{kube.ConditionAvailable}, nil))
	switch c := kube.FindCondition(kube.Conditions(u), kube.ConditionDegraded); {
	case f == nil && len(kube.Maps(u, "spec", "storagePools")) == 0 && kube.Text(u, "spec", "pathConfig", "path") == "":
		return step.Broken("it has neither spec.storagePools nor spec.pathConfig").On("%s", object)
	case f == nil:
		return step.OK("Available").On("%s", object)
	case c.Reason == "UpgradeStarted":
		return step.Pending("%s", c.Describe()).On("%s", object)
	}
	return f.On("%s", object)
}

// explained adds the cause to the finding about a HostPathProvisioner that is not ready. Until the driver has run once,
// its operator reports Progressing whatever happens to the pods.
func (s hostPath) explained(ctx context.Context, r kube.Reader, u *unstructured.Unstructured,
	f step.Finding) step.Finding {
	if f.State != step.StatePending || u.GetDeletionTimestamp() != nil {
		return f
	}
	selector, _, _ := unstructured.NestedStringMap(u.Object, "spec", "workload", "nodeSelector")
	nodes, err := prereq.AllNodes(ctx, r)
	if err == nil && len(selector) > 0 && !slices.ContainsFunc(nodes, func(n corev1.Node) bool {
		return labels.SelectorFromSet(selector).Matches(labels.Set(n.Labels))
	}) {
		return step.Broken("its spec.workload.nodeSelector selects no node: %s", f.Message).On("%s", f.Object).
			WithHint("oc get hostpathprovisioner %s -o yaml; oc get nodes --show-labels", u.GetName())
	}
	list := &appsv1.DaemonSetList{}
	if r.List(ctx, list) != nil {
		return f
	}
	i := slices.IndexFunc(list.Items, func(d appsv1.DaemonSet) bool {
		return d.Name == hostPathWorkload && metav1.IsControlledBy(&d, u)
	})
	if i < 0 {
		return f
	}
	return prereq.Explained(f, prereq.JudgeWorkload(ctx, r, &list.Items[i]))
}

// hostPathClassOf returns a class of the provisioner: the one with hcctl's name, else the first, else nil.
func hostPathClassOf(classes []storagev1.StorageClass) *storagev1.StorageClass {
	var found *storagev1.StorageClass
	for i := range classes {
		c := &classes[i]
		if c.Provisioner == hostPathDriver && (found == nil || c.Name == hostPathClass) {
			found = c
		}
	}
	return found
}

// apply creates the HostPathProvisioner and then its class, each only if there is none.
func (s hostPath) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	all, err := kube.ListStored(ctx, c, kube.HostPathProvisioner)
	if err != nil {
		return "", err
	}
	pool := hostPathPool
	change := step.Unchanged
	if len(all) == 0 {
		change, err = c.Apply(ctx, prereq.NewObject(kube.HostPathProvisioner, "", hostPathName, map[string]any{
			"imagePullPolicy": "IfNotPresent",
			"storagePools":    []any{map[string]any{"name": pool, "path": s.o.path()}},
			"workload":        map[string]any{"nodeSelector": map[string]any{corev1.LabelOSStable: "linux"}},
		}))
		if err != nil {
			return change, err
		}
	} else if pool = ""; len(kube.Maps(&all[0], "spec", "storagePools")) > 0 {
		pool = prereq.Text(kube.Maps(&all[0], "spec", "storagePools")[0], "name")
	}
	classes, err := storageClasses(ctx, c)
	if err != nil || hostPathClassOf(classes) != nil {
		return change, err
	}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: hostPathClass}, Provisioner: hostPathDriver,
		ReclaimPolicy:     ptr.To(corev1.PersistentVolumeReclaimDelete),
		VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer)}
	if pool != "" { // none means the path of spec.pathConfig
		class.Parameters = map[string]string{"storagePool": pool}
	}
	made, err := c.Apply(ctx, class)
	return step.Join(change, made), err
}
