package rbac

import (
	"fmt"
	"slices"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// Purposes returns the description of every purpose, in the order of help and documentation.
func Purposes() []About {
	return []About{
		{
			Purpose: Check, Short: "look at the management cluster, and change nothing",
			Commands: []string{"hcctl check", "hcctl support"},
			Mind: []string{
				"It reads one Secret, pull-secret in openshift-config, which gives access to the registries of the whole cluster.",
				"It lists the pods of every namespace: their environment variables are visible.",
			},
		},
		{
			Purpose: Bootstrap, Short: "install what hosted clusters need", Commands: []string{"hcctl check", "hcctl bootstrap"},
			Includes: []Purpose{Check},
			Mind: []string{
				"It amounts to cluster-admin: whoever may create Subscriptions can have operators installed, and OLM gives those " +
					"any rights. Give it for the time of a bootstrap.",
				fmt.Sprintf("hcctl itself needs neither escalate nor bind, and grants nobody anything, except with %s.",
					hint.Flag("virtualization-manifests")),
			},
		},
		{
			Purpose: Uninstall, Short: "remove what bootstrap installed", Commands: []string{"hcctl uninstall"},
			Mind: []string{
				"It amounts to cluster-admin: it lists all resources, Secrets too, since a namespace is removed only if nothing " +
					"is left in it. Give it for the time of an uninstall.",
			},
		},
		{
			Purpose: Viewer, Short: "see hosted clusters and node pools",
			Commands: []string{"hcctl get", "hcctl status", "hcctl wait", "hcctl events"},
			Mind: []string{
				"It reads no Secret, so it needs no namespace. A HostedCluster shows all its fields: a password in the URL of " +
					"its proxy too.",
				fmt.Sprintf("Without %s it lists the pods and VMs of every namespace: a pod's environment variables and a "+
					"VM's cloud-init are visible.", hint.Flag("cluster-name")),
				"hcctl wait for nodes or complete asks the hosted cluster itself, and needs login.",
			},
		},
		{
			Purpose: Editor, Short: "create, change and delete hosted clusters and node pools",
			Includes: []Purpose{Viewer, Login},
			Commands: []string{
				"hcctl create", "hcctl apply", "hcctl scale", "hcctl update", "hcctl upgrade", "hcctl pause", "hcctl resume",
				"hcctl stop", "hcctl start", "hcctl delete",
			},
			Mind: slices.Concat(createRisks(), []string{
				fmt.Sprintf("With %s Secrets are read by name. Names of what is created, and whose NodePools are written, "+
					"Kubernetes' roles cannot say: the policy that is printed for users does. Without policy it may "+
					"create other clusters, and change and delete the NodePools of every cluster in the namespace.",
					hint.Flag("cluster-name")),
				fmt.Sprintf("Without %s it may read, change and delete every Secret of the namespace.",
					hint.Flag("cluster-name")),
				fmt.Sprintf("Without %s it may detach any ManagedCluster from the hub: one is named as its cluster is.",
					hint.Flag("cluster-name")),
			}),
		},
		{
			Purpose: Tenant, Short: "create, change and delete a hosted cluster with its services",
			Includes: []Purpose{Editor, Viewer, Login},
			Commands: []string{"hcctl get services"},
			Mind: []string{
				"All that is said of editor holds. The namespace of the cluster's services is printed with the roles, marked as " +
					"reserved for this cluster. A tenant cannot change its labels, which refuse privileged pods. hcctl removes it " +
					"with the cluster, and the roles in it: print and apply them again before another cluster of that name.",
				fmt.Sprintf("It writes the ManagedCluster of its own cluster only, and of that the labels: a Placement that "+
					"goes by labels alone may choose it. It joins the set default, and those of %s. Addons are "+
					"without annotations and configuration. All of this takes the policy that is printed for users; "+
					"without one it has no such right.", hint.Flag("cluster-set")),
				"In that namespace it may create Deployments, Secrets and Services: it runs code on the management cluster's " +
					"nodes, as who creates hosted clusters does anyway, and takes addresses of the load balancer.",
				"Control planes and klusterlets are looked at in all namespaces: those of a new cluster are not there yet.",
			},
		},
		{
			Purpose: Login, Short: "access hosted clusters as their administrator",
			Commands: []string{"hcctl kubeconfig", "hcctl exec", "hcctl password", "hcctl console", "hcctl wait"},
			Mind: []string{
				fmt.Sprintf("The names of these Secrets follow from those of the clusters. Without %s it reads every Secret "+
					"of the namespace: tokens of its ServiceAccounts too.", hint.Flag("cluster-name")),
			},
		},
		{
			Purpose: Tunnel, Short: "access hosted clusters whose addresses do not answer, as their administrator",
			Includes: []Purpose{Login}, Commands: []string{"hcctl proxy", "hcctl exec"},
			Mind: []string{
				"It reaches the ports of kube-apiserver's pods, whatever networks and policies say: the API, which asks for " +
					"credentials, and the ports of its sidecars. The policy that is printed for users limits it to those pods; " +
					"without policy it reaches every pod of the control plane.",
				"Give it with another purpose for what that does inside: viewer for status, dump for dump.",
			},
		},
		{
			Purpose: Dump, Short: "gather what there is to know about a hosted cluster in trouble",
			Includes: []Purpose{Gather}, Commands: []string{"hcctl dump"},
			Mind: []string{
				"It reads every Secret of the control plane, to take them out of all it writes: the keys of its etcd, its " +
					"certificate authorities and its tokens. Whoever has them is the hosted cluster's administrator for as long as " +
					"the keys last, and has the rights of the control plane's ServiceAccounts on the management cluster.",
				fmt.Sprintf("It does not read the Secrets of namespace hypershift: its operator's token amounts to "+
					"cluster-admin. It reads no ManifestWorks, which may hold Secrets of others, unless %s "+
					"manifestworks asks for it.", hint.Flag("with")),
				fmt.Sprintf("Less is possible: the dump says what could not be read, and the exit code is 3. %s consoles adds "+
					"the serial consoles of the VMs, at which one can log in.", hint.Flag("with")),
			},
		},
		{
			Purpose: Gather, Short: "gather what there is to know about hosted clusters to come, without their Secrets",
			Commands: []string{hint.Run("dump").Flag("secrets", "false").String()},
			Mind: []string{
				"It is for pipelines: the control planes of clusters to come have no namespaces yet, so it lists pods, " +
					"ConfigMaps and other objects of every namespace, and reads all logs. They may hold secrets. It reads no " +
					"Secret outside of the namespace of the hosted clusters.",
				fmt.Sprintf("Without %s it reads every Secret of that namespace: the kubeconfigs of the administrators.",
					hint.Flag("cluster-name")),
			},
		},
		{
			Purpose: Logs, Short: "read the logs of hosted clusters and of HyperShift's operator",
			Commands: []string{"hcctl logs"},
			Mind: []string{
				fmt.Sprintf("Logs may hold secrets: what a component of a control plane or a VM writes is visible. Without "+
					"%s it reads the logs of every namespace.", hint.Flag("cluster-name")),
			},
		},
		{
			Purpose: Nodes, Short: "log in to the worker nodes of hosted clusters, and open their serial consoles",
			Commands: []string{"hcctl ssh", "hcctl scp", "hcctl console"},
			Mind: []string{
				"It reaches every port of every worker VM, whatever networks and policies say. Whoever has a key for user core " +
					"is root on the nodes, and sees all that runs there.",
				fmt.Sprintf("It reads the private key that %s has made. Without %s it reads every Secret of the "+
					"namespace: the kubeconfigs of the clusters' administrators too. People with keys of their own "+
					"need no right to Secrets.", hint.Flag("generate-ssh"), hint.Flag("cluster-name")),
			},
		},
		{
			Purpose: Backup, Short: "write backups of hosted clusters", Commands: []string{"hcctl backup"},
			Mind: []string{
				"It reads every Secret of the namespace, and the keys of the control planes: whoever has those is the hosted " +
					"cluster's administrator for as long as the keys last. So is whoever has the file, unless it is encrypted.",
				"It runs commands in the pods of a control plane. The policy that is printed for users limits that to etcd's; " +
					"without policy it has the rights of all of the control plane's ServiceAccounts on the management cluster.",
			},
		},
		{
			Purpose: Restore, Short: "restore hosted clusters from backups, and create them again from one",
			Commands: []string{"hcctl restore"},
			Mind: slices.Concat(createRisks()[:3], []string{
				"It stops control planes, removes volumes of their etcd and replaces all their data; it runs pods and commands " +
					"in their namespaces, with the rights of their ServiceAccounts on the management cluster.",
				"A cluster that is gone has no namespace for a Role: creating it again needs a role for all namespaces.",
			}),
		},
		{
			Purpose: Density, Short: "measure how many hosted clusters the management cluster carries",
			Commands: []string{"hcctl density"},
			Mind: slices.Concat(createRisks(), []string{
				"It counts neither Secrets nor ConfigMaps, since that would take list of all of them: those two are missing in " +
					"what it reports about etcd.",
			}),
		},
		{
			Purpose: Maintenance, Short: "plan updates of the management cluster and the maintenance of its nodes",
			Commands: []string{"hcctl upgrade management", "hcctl maintenance"},
			Mind: []string{
				"It lists the pods, VMs and volume claims of every namespace: a pod's environment variables and a VM's " +
					"cloud-init are visible. It reads no Secret.",
				"It cannot be limited to a namespace: a node has pods of all of them.",
			},
		},
		{
			Purpose: Schedule, Short: "stop and start the workers of hosted clusters, and not wait for it",
			Commands: []string{hint.Run("stop").Flag("wait", "none").String(),
				hint.Run("start").Flag("wait", "none").String()},
			Mind: []string{
				fmt.Sprintf("It may change NodePools as it likes, down to patches of their VMs: with %s and the policy that "+
					"is printed for users those of the named clusters, else every one of the namespace. It reads no "+
					"Secret.", hint.Flag("cluster-name")),
			},
		},
		{
			Purpose: Cleanup, Short: "delete hosted clusters that have expired, and what was made for them",
			Commands: []string{hint.Run("delete clusters").Flag("expired").String()},
			Mind: []string{
				"Kubernetes' roles know no marks: it may delete every hosted cluster of the namespace, and detach every " +
					"ManagedCluster. That only those go that have expired is what hcctl sees to.",
				"It deletes Secrets of the namespace, which it finds by listing them with what is in them: the administrators' " +
					"kubeconfigs too. It creates and changes none.",
			},
		},
		{
			Purpose: Exporter, Short: "count hosted clusters and node pools for Prometheus",
			Commands: []string{"hcctl exporter"},
			Mind: []string{
				"It reads no Secret, so it needs no namespace. A HostedCluster shows all its fields: a password in the URL of " +
					"its proxy too. The metrics have names, versions, conditions and reasons only.",
			},
		},
		{
			Purpose: Expiry, Short: "see when certificates and tokens of hosted clusters end",
			Commands: []string{hint.Run("get clusters").Flag("expiry").String()},
			Mind: []string{
				fmt.Sprintf("hcctl status %s needs viewer, too, and hcctl exporter %s exporter. %s gitops adds Argo CD's "+
					"Secrets of these clusters, for the ends of their tokens.",
					hint.Flag("expiry"), hint.Flag("expiry"), hint.Flag("with")),
				fmt.Sprintf("It reads the kubeconfigs of the administrators, and every Secret of the control planes: whoever has "+
					"it is the hosted clusters' administrator. Without %s it reads every Secret of the namespace.",
					hint.Flag("cluster-name")),
			},
		},
		{
			Purpose: Infra, Short: "run the worker VMs of hosted clusters of another management cluster",
			Commands: []string{hint.Run("create cluster").Flag("infra-kubeconfig-file").String()},
			Mind: []string{
				fmt.Sprintf("Print and apply it at the infrastructure cluster, with %s of the VMs: %s kubeconfig then prints the "+
					"kubeconfig for %s.", hint.Flag("namespace"), hint.Flag("output"), hint.Flag("infra-kubeconfig-file")),
				"HyperShift and controllers of the control plane use it. It reads, changes and deletes every Secret, Service, " +
					"Route and VM of that namespace: keep nothing else there. Whoever administers the management cluster, or reads " +
					"Secrets of the hosted clusters' namespace, has it.",
				fmt.Sprintf("%s placement adds a view of nodes and of the pods of every namespace, whose environment variables "+
					"are visible: without it whether VMs find places is not counted.", hint.Flag("with")),
			},
		},
		{
			Purpose: Hub, Short: "work on the hosted clusters of all management clusters of a hub",
			Commands: []string{
				hint.Run("apply").Flag("hub").String(), hint.Run("get clusters").Flag("hub").String(),
				hint.Run("status").Flag("hub").String(), hint.Run("wait cluster").Flag("hub").String(),
				hint.Run("stop").Flag("hub").String(), hint.Run("start").Flag("hub").String(),
				hint.Run("upgrade cluster").Flag("hub").String(),
				hint.Run("delete clusters").Flag("hub").String(), hint.Run("bootstrap").Flag("hub").String(),
				hint.Run("check").Flag("hub").String(), hint.Run("uninstall").Flag("hub").String(),
			},
			Mind: []string{
				"Print and apply it at the hub. A management cluster's work agent applies whatever a ManifestWork says, as its " +
					"administrator: this amounts to cluster-admin of every management cluster of the hub.",
				fmt.Sprintf("It reads the Secrets that apply %s, or anybody else, has put into ManifestWorks.",
					hint.Flag("copy-secrets")),
				"Namespace hcctl-assignments is printed with the roles: keep nothing else in it, and let nobody else write there.",
			},
		},
		{
			Purpose: Publish, Short: "count the room for hosted clusters, for the hub that places them",
			Includes: []Purpose{Check}, Commands: []string{hint.Run("check").Flag("publish").String()},
			Mind: []string{
				"Whoever has it says how many hosted clusters the hub sends here. Namespace hcctl is printed with the roles.",
				"Without the policy that is printed for users it may create any ConfigMap in namespace hcctl.",
			},
		},
		{
			Purpose: GitOpsStatus, Short: "see how far Argo CD is with hosted clusters and what is in them",
			Commands: []string{"hcctl gitops status"},
			Mind: []string{
				"It reads no Secret. An Application shows all its fields: the URL of its repository too.",
				"With viewer as well, status says of hosted clusters that are not well what hcctl status says.",
			},
		},
		{
			Purpose: GitOpsRegister, Short: "make hosted clusters known to Argo CD, and have it forget them",
			Commands: []string{"hcctl gitops register"},
			Mind: []string{
				"It amounts to cluster-admin of every hosted cluster of the namespace: it reads the administrators' kubeconfigs.",
				fmt.Sprintf("With %s it reads and writes Argo CD's Secrets of these clusters; without, every Secret in "+
					"openshift-gitops, with the tokens of all clusters that Argo CD knows and its credentials for "+
					"repositories: it then decides what Argo CD brings where.", hint.Flag("cluster-name")),
			},
		},
		{
			Purpose: GitOpsApprove, Short: "approve InstallPlans in one namespace", Commands: []string{"hcctl gitops approve"},
			Mind: []string{
				fmt.Sprintf("%s is that of the Subscription; where that is in a hosted cluster, print and apply it there. "+
					"An InstallPlan that is approved installs what it names, with whatever rights that asks for: "+
					"whoever makes Subscriptions in the namespace has them.", hint.Flag("namespace")),
			},
		},
		{
			Purpose: Probe, Short: "try out what hosted clusters need, in namespaces that are deleted again",
			Includes: []Purpose{Check}, Commands: []string{hint.Run("check").Flag("probe").String()},
			Mind: []string{
				"The policy that is printed for users limits it to the probes' namespaces, " + hostedcluster.ProbePrefix + "*. " +
					"Without policy it may create pods, Services, Routes, Secrets and VMs in every namespace, and delete every " +
					"namespace, which amounts to cluster-admin: give it for the time of a probe.",
				"A copy of the pull secret is in the namespace of probe pull while it runs: whoever reads Secrets of every " +
					"namespace can read it there, too.",
			},
		},
	}
}

// createRisks returns the risks of permission to create hosted clusters.
func createRisks() []string {
	return []string{
		"It may create Secrets in the namespace. One of type kubernetes.io/service-account-token gets a token of whichever " +
			"ServiceAccount of the namespace it names: the policy that is printed for users refuses such Secrets (Kubernetes " +
			"1.30, OpenShift 4.17 and later). Without policy keep nothing but hosted clusters in the namespace, and no " +
			"ServiceAccount that may do more.",
		"The namespace is the boundary, not the cluster: HyperShift's operator reads whatever Secret of it a HostedCluster " +
			"names, and hands it to that cluster.",
		"Whoever creates hosted clusters runs code on the management cluster's nodes: the release image is theirs, and a " +
			"NodePool may patch its VMs. They take as much CPU, memory and storage as there is, unless quotas say otherwise.",
		fmt.Sprintf("Without %s a new cluster gets a copy of the management cluster's pull secret: hence get of "+
			"that one Secret, in openshift-config. It gives access to the registries of the whole cluster.",
			hint.Flag("pull-secret")),
		"It lists the pods, HostedClusters and NodePools of every namespace, to know what room and which networks are left.",
	}
}
