import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import {
  loadOptions,
  schemaText,
} from "../../../commands/_runbook/load_options.ts";
import { finders } from "../../_finders.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { starter } from "../../../commands/runbook/_starter.ts";
import { builtinNames } from "../../../workflows/runbooks/builtin/shipped.ts";
import { loadRunbook } from "../../../workflows/runbooks/language/loading/load.ts";

/** What is checked of a context. */
function contextOf(path?: string): Parameters<typeof loadOptions>[0] {
  const environment = { env: () => path } as unknown as Environment;
  return { commands: entries, environment };
}

Deno.test("runbooks find the modules and checks of this program", async () => {
  const { find } = loadOptions(contextOf());
  assert.equal((await find.module("config.backup"))?.name, "config.backup");
  assert.equal(await find.module("no.such"), undefined);
  assert.equal(find.check("node.ready")?.scope, "node");
  assert.ok(find.modules.includes("config.backup"));
  assert.ok(find.checks.includes("cluster.health"));
});

Deno.test("the schema is a file with an end of line", async () => {
  assert.match(await schemaText(entries), /^\{\n[^]*\n\}\n$/);
});

Deno.test("programs that are not trusted are not called", async () => {
  const { build } = loadOptions(contextOf("/nowhere"));
  await assert.rejects(
    async () => await build?.("a.runbook.ts", "export default () => {};"),
    { name: "RefusedError" },
  );
});

for (const name of builtinNames) {
  Deno.test(`the builtin ${name} is right with the modules and checks of this program`, async () => {
    const { runbook } = await loadRunbook(`builtin:${name}`, { find: finders });
    assert.equal(runbook.name, name);
  });
}

Deno.test("a runbook that runbook new writes is right with the modules and checks of this program", async () => {
  const read = () => Promise.resolve(starter("restart"));
  const { runbook } = await loadRunbook("a.yaml", { find: finders, read });
  assert.equal(runbook.name, "restart");
});

Deno.test("runbooks in the documentation are right with the modules and checks of this program", async () => {
  const root = new URL("../../../docs/", import.meta.url);
  const pages = [new URL("runbook-language.md", root)];
  for await (const { name } of Deno.readDir(new URL("runbooks/", root))) {
    if (name.endsWith(".md")) pages.push(new URL(`runbooks/${name}`, root));
  }
  const names: string[] = [];
  for (const page of pages) {
    const text = await Deno.readTextFile(page);
    for (const [, source = ""] of text.matchAll(/^```yaml\n([^]*?)^```$/gm)) {
      if (!source.includes("kind: Runbook")) continue;
      const read = () => Promise.resolve(source);
      const { runbook } = await loadRunbook("a.yaml", { find: finders, read });
      names.push(runbook.name);
    }
  }
  assert.ok(names.includes("restart-gpu"), names.join());
});
