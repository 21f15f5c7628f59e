package pages

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// readable measures a page of the site. It returns a line for each thing that is wrong.
const readable = `(() => {
  const wrong = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) wrong.push("the page is " + wide + " wide on a screen of " + innerWidth);
  for (const box of document.querySelectorAll("article pre, article .scroll")) {
    const b = box.getBoundingClientRect();
    if (b.right > innerWidth + 1) wrong.push("a block ends at " + b.right + " on a screen of " + innerWidth);
    if (box.scrollWidth > box.clientWidth && !/auto|scroll/.test(getComputedStyle(box).overflowX)) wrong.push("a block is cut off");
  }
  const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(Number).map(v => { v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 }); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (c && !/, 0\)$/.test(c) && c !== "transparent") return c } return "rgb(255, 255, 255)" };
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let n; (n = words.nextNode());) {
    const e = n.parentElement;
    if (!n.data.trim() || !e.checkVisibility()) continue;
    texts++;
    const [x, y] = [light(getComputedStyle(e).color), light(ground(e))].sort((p, q) => q - p);
    const contrast = (x + 0.05) / (y + 0.05);
    if (contrast < 4.5) wrong.push("contrast " + contrast.toFixed(2) + " of " + JSON.stringify(n.data.slice(0, 40)));
  }
  if (texts < 20) wrong.push("there are " + texts + " texts");
  if (document.querySelectorAll("h1").length !== 1) wrong.push("the page has " + document.querySelectorAll("h1").length + " titles");
  return [...new Set(wrong)].slice(0, 10);
})()`

// tab is a tab of the browser that notes what is asked for and what goes wrong.
type tab struct {
	t   *testing.T
	ctx context.Context
	// asked are addresses outside of the site's directory, wrong what the console says.
	asked, wrong []string
}

func (b *tab) do(actions ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// newTab opens a tab with a screen of a width, in the dark or the light.
func newTab(t *testing.T, browser context.Context, directory string, width int64, scheme string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	// The first Run opens the tab, and its context's end would close it.
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	inside := (&url.URL{Scheme: "file", Path: directory}).String() + "/"
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, inside) && !strings.HasPrefix(e.Request.URL, "data:") {
				b.asked = append(b.asked, e.Request.URL)
			}
		case *network.EventLoadingFailed:
			b.wrong = append(b.wrong, "not loaded: "+e.ErrorText)
		case *runtime.EventExceptionThrown:
			b.wrong = append(b.wrong, e.ExceptionDetails.Error())
		}
	})
	t.Cleanup(func() {
		for _, u := range b.asked {
			t.Errorf("the site asks for %s", u)
		}
		for _, w := range b.wrong {
			t.Error(w)
		}
	})
	b.do(network.Enable(), runtime.Enable(), emulation.SetDeviceMetricsOverride(width, 800, 1, width < 600),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
	return b
}

// overlapping lists the cells of tables whose content is wider than they are.
const overlapping = `Array.from(document.querySelectorAll("article td, article th")).filter(cell => {
	const range = document.createRange();
	range.selectNodeContents(cell);
	return range.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1;
}).map(cell => "the cell " + cell.textContent.slice(0, 60) + " covers the next one")`

// firstHits are what people look for, and the page that answers it.
var firstHits = map[string]string{
	"pull secret": "docs/rotation.html", "rotate etcd key": "docs/rotation.html", "certificates": "docs/rotation.html",
	"no default storageclass": "docs/checks/storage-default-class.html",
	"exit code 4":             "docs/commands.html#hcctl-exit-codes",
	"metallb range":           "docs/checks/load-balancer-range.html",
	"load balancer pending":   "docs/checks/load-balancer-service.html",
	"dns does not resolve":    "docs/checks/ingress-dns.html", "max pods": "docs/checks/cluster-max-pods.html",
	"InvalidImage": "docs/runbook.html#invalidimage", "etcdwaitingforquorum": "docs/runbook.html#etcdwaitingforquorum",
	"EtcdAvailable": "docs/runbook.html#etcdavailable", "ignitionNotReached": "docs/runbook.html#ignitionnotreached",
	"first cluster": "docs/first-cluster.html", "install": "docs/install.html", "upgrade": "docs/upgrades.html",
	"backup": "docs/backup.html", "disconnected": "docs/disconnected.html", "mirror registry": "docs/disconnected.html",
	"cluster stuck deleting": "docs/delete.html", "login dex": "docs/identity.html", "ssh into a node": "docs/commands.html#hcctl-ssh",
	"prometheus": "docs/monitoring.html", "github actions": "docs/ci.html", "report a bug": "docs/bugs.html",
	"glossary": "docs/glossary.html", "kcli": "docs/comparison.html", "what is stable": "docs/stability.html",
}

// TestAccessible has axe, Deque's checker, look at pages in the dark and the light, wide and narrow.
func TestAccessible(t *testing.T) {
	directory, err := filepath.Abs(os.Getenv("HCCTL_SITE"))
	if err != nil || os.Getenv("HCCTL_SITE") == "" {
		t.Fatal("HCCTL_SITE is not set: run make test-site")
	}
	axe, err := os.ReadFile(os.Getenv("HCCTL_AXE"))
	if err != nil {
		t.Fatalf("HCCTL_AXE: %v: run make test-site", err)
	}
	versions, err := filepath.Glob(filepath.Join(directory, "*", "docs", "install.html"))
	if err != nil || len(versions) == 0 {
		t.Fatalf("no version of the site in %s: %v", directory, err)
	}
	made := filepath.Dir(filepath.Dir(versions[0]))
	browser := newBrowser(t)
	for _, screen := range []struct {
		scheme string
		width  int64
	}{{"light", 1366}, {"dark", 360}} {
		b := newTab(t, browser, directory, screen.width, screen.scheme)
		for _, name := range []string{"index.html", "docs/cluster.html", "docs/rotation.html", "docs/runbook.html"} {
			var wrong []string
			b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: filepath.Join(made, name)}).String()),
				chromedp.Evaluate(string(axe), nil), chromedp.Evaluate(`document.querySelector("#search").focus(); true`, nil),
				chromedp.Poll(`Array.isArray(window.hcctlSearch)`, nil), chromedp.SendKeys(`#search`, "etcd"),
				chromedp.WaitVisible(`#found a`), chromedp.Evaluate(broken, &wrong, awaited))
			for _, w := range wrong {
				t.Errorf("%s, %s, %d wide: %s", name, screen.scheme, screen.width, w)
			}
		}
	}
}

// broken is what axe finds, a line each.
const broken = `axe.run(document, {preload: false}).then(found => found.violations.map(v =>
	v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(" ")))`

// awaited waits for the value of a promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// TestSite opens the documentation from a disk: reading, navigation, search, versions, dark and light, narrow screens.
func TestSite(t *testing.T) {
	directory, err := filepath.Abs(os.Getenv("HCCTL_SITE"))
	if err != nil || os.Getenv("HCCTL_SITE") == "" {
		t.Fatal("HCCTL_SITE is not set: run make test-site")
	}
	versions, err := filepath.Glob(filepath.Join(directory, "*", "docs", "install.html"))
	if err != nil || len(versions) == 0 {
		t.Fatalf("no version of the site in %s: %v", directory, err)
	}
	made := filepath.Dir(filepath.Dir(versions[0]))
	at := func(name string) string { return (&url.URL{Scheme: "file", Path: filepath.Join(made, name)}).String() }
	browser := newBrowser(t)

	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 820, 1366} {
			b := newTab(t, browser, directory, width, scheme)
			for _, name := range []string{"index.html", "docs/install.html", "docs/commands.html", "docs/runbook.html",
				"docs/dev/performance.html", "docs/cluster.html", "docs/checks/cluster-capacity.html", "CHANGELOG.html"} {
				t.Run(fmt.Sprintf("%s/%d/%s", scheme, width, name), func(t *testing.T) {
					var wrong []string
					var ground string
					b.t = t
					b.do(chromedp.Navigate(at(name)), chromedp.Evaluate(readable, &wrong),
						chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &ground))
					for _, w := range wrong {
						t.Error(w)
					}
					if (ground == "rgb(21, 24, 28)") != (scheme == "dark") {
						t.Errorf("the ground is %s", ground)
					}
				})
			}
			b.t = t
		}
	}

	t.Run("navigation", func(t *testing.T) {
		b := newTab(t, browser, directory, 1366, "light")
		var title, current, version string
		b.do(chromedp.Navigate(at("index.html")),
			chromedp.Click(`//nav[@id="menu"]//a[contains(@href, "docs/upgrades.html")]`, chromedp.BySearch),
			chromedp.WaitVisible(`article h1`), chromedp.Text(`article h1`, &title), chromedp.Text(`nav [aria-current]`, &current))
		if title == "" || title != current {
			t.Errorf("the page is %q, the menu marks %q", title, current)
		}
		// The way back to the first page, and the version that is shown.
		b.do(chromedp.Click(`.brand`), chromedp.WaitVisible(`//h1[text()="hcctl"]`, chromedp.BySearch),
			chromedp.Poll(`Array.isArray(window.hcctlVersions)`, nil), chromedp.Value(`#version`, &version))
		if version != filepath.Base(made) {
			t.Errorf("the menu of versions shows %q", version)
		}
		// The directory's own page leads to the newest version.
		b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: filepath.Join(directory, "index.html")}).String()),
			chromedp.WaitVisible(`//h1[text()="hcctl"]`, chromedp.BySearch))
	})

	t.Run("versions", func(t *testing.T) {
		if len(versions) < 2 {
			t.Fatalf("make test-site makes two versions, %s has %v", directory, versions)
		}
		other := filepath.Base(filepath.Dir(filepath.Dir(versions[1])))
		// The other version has no glossary, as far as its list of pages says.
		list := filepath.Join(directory, other, "pages.js")
		all, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		without := strings.Replace(string(all), `"docs/glossary.html",`, "", 1)
		if without == string(all) {
			t.Fatalf("%s has no glossary: %s", list, all)
		}
		if err := os.WriteFile(list, []byte(without), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.WriteFile(list, all, 0o600) })
		b := newTab(t, browser, directory, 1366, "light")
		choose := chromedp.Evaluate(fmt.Sprintf(`const menu = document.getElementById("version");
			menu.value = %q; menu.dispatchEvent(new Event("change"))`, other), nil)
		// The same page where the other version has it, its first page otherwise.
		for name, want := range map[string]string{"docs/install.html": "docs/install.html", "docs/glossary.html": "index.html",
			"index.html": "index.html"} {
			var shown, address string
			b.do(chromedp.Navigate(at(name)), chromedp.Poll(`Array.isArray(window.hcctlVersions)`, nil), choose,
				chromedp.WaitVisible(fmt.Sprintf(`#version[data-version=%q]`, other)),
				chromedp.Poll(`Array.isArray(window.hcctlVersions)`, nil), chromedp.Value(`#version`, &shown), chromedp.Location(&address))
			if shown != other || !strings.HasSuffix(address, "/"+other+"/"+want) {
				t.Errorf("from %s to version %s: the menu shows %q, the page is %s", name, other, shown, address)
			}
		}
	})

	// What each screen shows of wide tables: no cell covers the next one.
	t.Run("tables", func(t *testing.T) {
		for _, width := range []int64{360, 1280} {
			b := newTab(t, browser, directory, width, "light")
			for _, name := range []string{"docs/support.html", "docs/dev/testing.html", "docs/output.html", "docs/monitoring.html",
				"docs/stability.html", "docs/comparison.html", "docs/checks/README.html", "docs/dev/architecture.html"} {
				var wrong []string
				b.do(chromedp.Navigate(at(name)), chromedp.Evaluate(overlapping, &wrong))
				for _, w := range wrong {
					t.Errorf("%s at %d: %s", name, width, w)
				}
			}
		}
	})

	t.Run("search", func(t *testing.T) {
		b := newTab(t, browser, directory, 1366, "light")
		var first, marked, address string
		var top float64
		b.do(chromedp.Navigate(at("docs/install.html")), chromedp.KeyEvent("/"),
			chromedp.Poll(`document.activeElement.id === "search"`, nil), chromedp.Evaluate(`document.activeElement.value = ""`, nil),
			chromedp.SendKeys(`#search`, "new pull secret"),
			chromedp.Poll(`/pull secret/i.test(document.querySelector("#found strong")?.textContent)`, nil),
			chromedp.Text(`#found li:first-child strong`, &first), chromedp.Text(`#found mark`, &marked))
		if !strings.Contains(strings.ToLower(first), "secret") || marked == "" {
			t.Errorf("the first hit is %q, marked is %q", first, marked)
		}
		b.do(chromedp.SendKeys(`#search`, kb.Enter), chromedp.WaitVisible(`//h1[contains(., "new pull secret")]`, chromedp.BySearch),
			chromedp.Location(&address))
		if !strings.Contains(address, "rotation.html") {
			t.Errorf("Enter leads to %s", address)
		}
		// A hit is shown at its heading, below the bar.
		b.do(chromedp.Navigate(at("docs/monitoring.html")+"#dashboard"),
			chromedp.Poll(`scrollY > 0`, nil), chromedp.Evaluate(`document.getElementById("dashboard").getBoundingClientRect().top`, &top))
		if top < 40 {
			t.Errorf("the heading is at %f, behind the bar", top)
		}
		var none string
		b.do(chromedp.SendKeys(`#search`, "<img src=x onerror=alert(1)>"), chromedp.WaitVisible(`#found .none`),
			chromedp.Text(`#found .none`, &none), chromedp.SendKeys(`#search`, kb.Escape), chromedp.WaitNotVisible(`#found`))
		if !strings.HasPrefix(none, "Nothing found.") {
			t.Errorf("for words that are nowhere: %q", none)
		}
	})

	// What people look for, and the page that has to come first.
	t.Run("what is found", func(t *testing.T) {
		b := newTab(t, browser, directory, 1366, "light")
		b.do(chromedp.Navigate(at("docs/install.html")), chromedp.Focus(`#search`),
			chromedp.Poll(`Array.isArray(window.hcctlSearch)`, nil))
		for asked, want := range firstHits {
			var first string
			b.do(chromedp.Evaluate(fmt.Sprintf(`(() => { const s = document.getElementById("search"); s.value = %q;
				s.dispatchEvent(new Event("input")); return document.querySelector("#found a")?.getAttribute("href") || "" })()`, asked), &first))
			if page, _, _ := strings.Cut(strings.TrimPrefix(first, "../"), "#"); page != want && strings.TrimPrefix(first, "../") != want {
				t.Errorf("%q leads to %s, not to %s", asked, first, want)
			}
		}
	})

	// With the keyboard alone: the link that skips the menu, the results by arrows, and Escape out of both.
	t.Run("keyboard", func(t *testing.T) {
		b := newTab(t, browser, directory, 1366, "light")
		focus := `document.activeElement.className + " " + document.activeElement.id`
		var first, after, hit, back string
		b.do(chromedp.Navigate(at("docs/install.html")), chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(focus, &first),
			chromedp.KeyEvent(kb.Enter), chromedp.Evaluate(focus, &after),
			chromedp.KeyEvent("/"), chromedp.SendKeys(`#search`, "upgrade"), chromedp.WaitVisible(`#found a`),
			chromedp.KeyEvent(kb.ArrowDown), chromedp.Evaluate(`document.activeElement.closest("#found") ? "in the results" : ""`, &hit),
			chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible(`#found`), chromedp.Evaluate(focus, &back))
		if first != "skip " || after != " content" || hit == "" || back != " search" {
			t.Errorf("Tab leads to %q, Enter there to %q, the arrow to %q, Escape to %q", first, after, hit, back)
		}
	})

	// A link that leads out of the site is marked, and one that only names a file shows the page's title.
	t.Run("links", func(t *testing.T) {
		b := newTab(t, browser, directory, 1366, "light")
		var out, unmarked int
		var named []string
		b.do(chromedp.Navigate(at("docs/backup.html")),
			chromedp.Evaluate(`document.querySelectorAll("article a.external").length`, &out),
			chromedp.Evaluate(`document.querySelectorAll("article a[href*='://']:not(.external)").length`, &unmarked),
			chromedp.Navigate(at("docs/README.html")),
			chromedp.Evaluate(`[...document.querySelectorAll("article a")].map(a => a.textContent).filter(t => /\.md$/.test(t))`, &named))
		if out == 0 || unmarked > 0 || len(named) > 0 {
			t.Errorf("%d links out are marked, %d are not; links with names of files: %q", out, unmarked, named)
		}
	})

	t.Run("narrow", func(t *testing.T) {
		b := newTab(t, browser, directory, 360, "dark")
		var hidden bool
		var title string
		b.do(chromedp.Navigate(at("docs/commands.html")), chromedp.Evaluate(`!document.getElementById("menu").checkVisibility()`, &hidden),
			chromedp.Click(`#open-menu`), chromedp.WaitVisible(`nav#menu`),
			chromedp.Click(`//nav[@id="menu"]//a[contains(@href, "glossary.html")]`, chromedp.BySearch),
			chromedp.WaitVisible(`//h1[text()="Glossary"]`, chromedp.BySearch), chromedp.Text(`h1`, &title))
		if !hidden {
			t.Error("the menu covers a narrow screen")
		}
	})

	// A command in a sentence can be copied: two dashes stay two dashes.
	t.Run("commands", func(t *testing.T) {
		b := newTab(t, browser, directory, 1366, "light")
		var kept bool
		b.do(chromedp.Navigate(at("docs/runbook.html")),
			chromedp.Evaluate(`document.body.textContent.includes("hcctl check --only load-balancer")`, &kept))
		if !kept {
			t.Error("the runbook does not show hcctl check --only load-balancer as it is typed")
		}
	})

	t.Run("dark and light", func(t *testing.T) {
		b := newTab(t, browser, directory, 1366, "light")
		var before, after, kept string
		theme := `document.documentElement.dataset.theme`
		b.do(chromedp.Navigate(at("index.html")), chromedp.Evaluate(theme, &before), chromedp.Click(`#theme`),
			chromedp.Evaluate(theme, &after), chromedp.Navigate(at("docs/glossary.html")), chromedp.Evaluate(theme, &kept),
			chromedp.Click(`#theme`))
		if before != "light" || after != "dark" || kept != "dark" {
			t.Errorf("%s, then %s, on the next page %s", before, after, kept)
		}
	})
}
