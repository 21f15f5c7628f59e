package hostedtest

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// Row is a condition of the recorded tables: type, status, reason, message.
type Row [4]string

// Cluster returns the HostedCluster clusters/plain with these conditions.
func Cluster(rows ...Row) *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "plain", Generation: 3}}
	for _, r := range rows {
		hc.Status.Conditions = append(hc.Status.Conditions, metav1.Condition{
			Type: r[0], Status: metav1.ConditionStatus(r[1]), Reason: r[2], Message: r[3], ObservedGeneration: 3,
		})
	}
	return hc
}

// Pool returns the NodePool clusters/plain, which wants want nodes and has have.
func Pool(want, have int32, rows ...Row) *hyperv1.NodePool {
	np := &hyperv1.NodePool{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "plain"}}
	np.Spec.Replicas, np.Status.Replicas = ptr.To(want), have
	for _, r := range rows {
		np.Status.Conditions = append(np.Status.Conditions, hyperv1.NodePoolCondition{
			Type: r[0], Status: corev1.ConditionStatus(r[1]), Reason: r[2], Message: r[3],
		})
	}
	return np
}

// VM returns a virtual machine of the node pool plain.
func VM(name string, ready bool, status kubevirtv1.VirtualMachinePrintableStatus) kubevirtv1.VirtualMachine {
	v := kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "clusters-plain",
			Name:      name,
			Labels:    map[string]string{hyperv1.NodePoolNameLabel: "plain"},
		},
	}
	v.Status.Ready, v.Status.PrintableStatus = ready, status
	return v
}
