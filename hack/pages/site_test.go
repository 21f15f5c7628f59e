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
	// asked are addresses outside of the site's folder, wrong what the console says.
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
func newTab(t *testing.T, browser context.Context, folder string, width int64, scheme string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	// The first Run opens the tab, and its context's end would close it.
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	inside := (&url.URL{Scheme: "file", Path: folder}).String() + "/"
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

// TestSite opens the documentation from a disk: reading, navigation, search, versions, dark and light, narrow screens.
func TestSite(t *testing.T) {
	folder, err := filepath.Abs(os.Getenv("HCCTL_SITE"))
	if err != nil || os.Getenv("HCCTL_SITE") == "" {
		t.Fatal("HCCTL_SITE is not set: run make test-site")
	}
	versions, err := filepath.Glob(filepath.Join(folder, "*", "docs", "install.html"))
	if err != nil || len(versions) == 0 {
		t.Fatalf("no version of the site in %s: %v", folder, err)
	}
	made := filepath.Dir(filepath.Dir(versions[0]))
	at := func(name string) string { return (&url.URL{Scheme: "file", Path: filepath.Join(made, name)}).String() }
	browser := newBrowser(t)

	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 820, 1366} {
			b := newTab(t, browser, folder, width, scheme)
			for _, name := range []string{"index.html", "docs/install.html", "docs/commands.html", "docs/runbook.html",
				"docs/performance.html", "docs/cluster.html", "docs/checks/cluster-capacity.html", "CHANGELOG.html"} {
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
		b := newTab(t, browser, folder, 1366, "light")
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
		// The folder's own page leads to the newest version.
		b.do(chromedp.Navigate((&url.URL{Scheme: "file", Path: filepath.Join(folder, "index.html")}).String()),
			chromedp.WaitVisible(`//h1[text()="hcctl"]`, chromedp.BySearch))
	})

	t.Run("versions", func(t *testing.T) {
		if len(versions) < 2 {
			t.Fatalf("make test-site makes two versions, %s has %v", folder, versions)
		}
		other := filepath.Base(filepath.Dir(filepath.Dir(versions[1])))
		// The other version has no glossary, as far as its list of pages says.
		list := filepath.Join(folder, other, "pages.js")
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
		b := newTab(t, browser, folder, 1366, "light")
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
			b := newTab(t, browser, folder, width, "light")
			for _, name := range []string{"docs/support.html", "docs/testing.html", "docs/output.html", "docs/monitoring.html",
				"docs/stability.html", "docs/comparison.html", "docs/checks/README.html", "docs/architecture.html"} {
				var wrong []string
				b.do(chromedp.Navigate(at(name)), chromedp.Evaluate(overlapping, &wrong))
				for _, w := range wrong {
					t.Errorf("%s at %d: %s", name, width, w)
				}
			}
		}
	})

	t.Run("search", func(t *testing.T) {
		b := newTab(t, browser, folder, 1366, "light")
		var first, marked, address string
		var top float64
		b.do(chromedp.Navigate(at("docs/install.html")), chromedp.KeyEvent("/"),
			chromedp.Poll(`document.activeElement.id === "search"`, nil), chromedp.Evaluate(`document.activeElement.value = ""`, nil),
			chromedp.SendKeys(`#search`, "new pull secret"),
			chromedp.Poll(`/pull secret/.test(document.querySelector("#found strong")?.textContent)`, nil),
			chromedp.Text(`#found li:first-child strong`, &first), chromedp.Text(`#found mark`, &marked))
		if !strings.Contains(strings.ToLower(first), "secret") || marked == "" {
			t.Errorf("the first hit is %q, marked is %q", first, marked)
		}
		b.do(chromedp.SendKeys(`#search`, kb.Enter), chromedp.WaitVisible(`//h1[contains(., "New pull secret")]`, chromedp.BySearch),
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
		b.do(chromedp.SendKeys(`#search`, "<img src=x onerror=alert(1)>"), chromedp.WaitVisible(`#found p`),
			chromedp.Text(`#found p`, &none), chromedp.SendKeys(`#search`, kb.Escape), chromedp.WaitNotVisible(`#found`))
		if none != "Nothing found." {
			t.Errorf("for words that are nowhere: %q", none)
		}
	})

	t.Run("narrow", func(t *testing.T) {
		b := newTab(t, browser, folder, 360, "dark")
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
		b := newTab(t, browser, folder, 1366, "light")
		var kept bool
		b.do(chromedp.Navigate(at("docs/runbook.html")),
			chromedp.Evaluate(`document.body.textContent.includes("hcctl check --only load-balancer")`, &kept))
		if !kept {
			t.Error("docs/runbook.html does not show hcctl check --only load-balancer as it is typed")
		}
	})

	t.Run("dark and light", func(t *testing.T) {
		b := newTab(t, browser, folder, 1366, "light")
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
