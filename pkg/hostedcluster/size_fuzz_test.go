package hostedcluster

import "testing"

func FuzzSize(f *testing.F) {
	for _, s := range []string{"3", "2-5", "0", "1-0", "-1", "+2", "2147483648", "1-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := ParseSize(s)
		if !ok {
			return
		}
		if got.Min < 0 || got.Max < got.Min || !got.Auto && got.Max != got.Min {
			t.Fatalf("%q gives %+v", s, got)
		}
		if second, ok := ParseSize(got.Encode()); !ok || second != got {
			t.Fatalf("%+v written as %q reads as %+v, %v", got, got.Encode(), second, ok)
		}
	})
}
