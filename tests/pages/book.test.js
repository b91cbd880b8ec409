// Every page of the built book, as a reader meets it. Build it first: `cargo book build`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { pages, start, themes } from "./book.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let book;
before(async () => void (book = await start()));
after(() => book?.stop());

/// What axe finds, one line for each kind of fault on each element.
async function faults(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  // The size of targets is WCAG 2.2, and off unless asked for.
  const options = { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } };
  const { violations } = await page.evaluate((options) => window.axe.run(document, options), options);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => `${id} (${help}): ${target.join(" ")} ${any[0]?.message ?? ""}`),
  );
}

/// Elements that stick out on the right, other than those inside something that scrolls.
const wide = () =>
  [...document.querySelectorAll("main *")]
    .filter((element) => !element.parentElement.closest("pre, .scroll, .table-wrapper, svg"))
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => `${element.tagName} ${element.className}: ${element.textContent.slice(0, 40)}`);

test("there are pages", () => assert.ok(pages.length >= 11, `${pages}`));

for (const name of pages) {
  test(name, async (t) => {
    const page = await book.open(name);

    await t.test("loads without trouble, from home alone, and little", async () => {
      const outside = page.requests.filter((url) => !url.startsWith(book.home) && !url.startsWith("data:"));
      assert.deepEqual(outside, []);
      assert.deepEqual(page.trouble, []);
      const bytes = await page.evaluate(() =>
        [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("navigation")].reduce(
          (sum, entry) => sum + entry.encodedBodySize,
          0,
        ),
      );
      assert.ok(bytes < 500_000, `${bytes} bytes before compression`);
    });

    for (const theme of themes) {
      await t.test(`is accessible in ${theme}`, async () => {
        await page.evaluate((theme) => document.getElementById(`mdbook-theme-${theme}`).click(), theme);
        assert.ok(await page.evaluate((theme) => document.documentElement.classList.contains(theme), theme));
        assert.deepEqual(await faults(page), []);
      });
    }

    await t.test("folds answers open with the keyboard", async () => {
      for (const details of await page.locator("main details").all()) {
        const open = await details.evaluate((element) => element.open);
        await details.locator("> summary").focus();
        await page.keyboard.press("Enter");
        assert.notEqual(await details.evaluate((element) => element.open), open);
      }
    });

    await page.done();

    await t.test("fits a phone of 390 pixels", async () => {
      const phone = await book.open(name, { width: 390 });
      assert.deepEqual(await phone.evaluate(wide), []);
      assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390);
      assert.deepEqual(await faults(phone), []);
      await phone.done();
    });
  });
}

test("menu, search and sidebar are accessible when open", async () => {
  const page = await book.open("transpose.html", { width: 390 });
  const sidebar = page.locator("#mdbook-sidebar");
  assert.ok(!(await sidebar.isVisible()));
  await page.locator("[aria-controls=mdbook-sidebar]:visible").focus();
  await page.keyboard.press("Enter");
  await sidebar.waitFor({ state: "visible" });
  assert.deepEqual(await faults(page), []);
  await page.done();

  for (const theme of themes) {
    const page = await book.open("transpose.html", { theme });
    await page.locator("#mdbook-theme-toggle").click();
    assert.deepEqual(await faults(page), [], theme);
    await page.keyboard.press("Escape");
    await page.locator("#mdbook-search-toggle").click();
    await page.locator("#mdbook-searchbar").pressSequentially("matrix");
    await page.locator("#mdbook-searchresults > li").first().waitFor();
    assert.deepEqual(await faults(page), [], theme);
    await page.done();
  }
});

test("what has the focus can be seen", async () => {
  const page = await book.open("transpose.html");
  for (let i = 0; i < 25; i++) {
    await page.keyboard.press("Tab");
    const [seen, what] = await page.evaluate(() => {
      const element = document.activeElement;
      const style = getComputedStyle(element);
      return [element === document.body || style.outlineStyle !== "none", element.outerHTML.slice(0, 120)];
    });
    assert.ok(seen, what);
  }
  await page.done();
});

test("without scripts the text and the way through the book are there", async () => {
  const page = await book.open("transpose.html", { javaScriptEnabled: false });
  assert.ok(await page.locator("main h1").isVisible());
  assert.ok((await page.locator("a[rel~=next]").count()) > 0);
  await page.done();
});
