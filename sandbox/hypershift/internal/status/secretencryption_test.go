package status

import (
	"testing"
	"time"
)

func TestAKeyIsRotated(t *testing.T) {
	name := func(k EncryptionKey) string { return k.AESCBC.Secret.Name + "/" + k.AESCBC.DataHash }
	key := func(secret, hash string) EncryptionKey {
		k := EncryptionKey{Provider: "AESCBC"}
		k.AESCBC.Secret.Name, k.AESCBC.DataHash = secret, hash
		return k
	}
	one, two, same, three := key("a", "1"), key("b", "2"), key("b", "3"), key("c", "4")
	var s *SecretEncryption
	var c Condition
	for i, step := range []struct {
		spec   EncryptionKey
		done   bool
		failed string
		want   string
	}{
		{one, false, "", "a/1: True ReEncryptionCompleted"},
		{one, true, "", "a/1: "},
		{two, true, "", "a/1 to b/2 ReadOnlyDeploy: False ReadOnlyRolloutInProgress"},
		{two, false, "", "a/1 to b/2 ReadOnlyDeploy: False ReEncryptionWaitingForKASConvergence"},
		{two, true, "", "a/1 to b/2 WritePromote: False WritePromotionInProgress"},
		{three, false, "", "a/1 to b/2 WritePromote: False ReEncryptionWaitingForKASConvergence"},
		{two, true, "secrets: no", "a/1 to b/2 Migrating: False ReEncryptionFailed"},
		{two, false, "", "a/1 to b/2 Migrating: False ReEncryptionInProgress"},
		{two, true, "", "b/2 Completed: True ReEncryptionCompleted"},
		// Another key in the same Secret is another key.
		{same, true, "", "b/2 to b/3 ReadOnlyDeploy: False ReadOnlyRolloutInProgress"},
	} {
		s, c = s.Advance(step.spec, name, step.done, step.failed, time.Now())
		got := name(s.ActiveKey)
		if s.TargetKey != nil {
			got += " to " + name(*s.TargetKey)
		}
		if len(s.History) > 0 {
			got += " " + s.History[0].State
		}
		got += ": "
		if c.Kind != "" {
			got += string(c.Status) + " " + c.Reason
		}
		if got != step.want {
			t.Errorf("%d: %s, want %s", i, got, step.want)
		}
	}
	if len(s.History) != 2 || s.History[0].CompletionTime != nil || s.History[1].CompletionTime == nil ||
		s.History[1].From.Fingerprint != "a/1" || s.History[1].To.Fingerprint != "b/2" {
		t.Errorf("history %+v", s.History)
	}
}
