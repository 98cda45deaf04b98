import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import { finders } from "../../_finders.ts";

const { module: find, modules: moduleNames, whyNoModule } = finders;

Deno.test("the words of old files name the same modules", async () => {
  const spelled = ["talos", "config.issue"].join("");
  assert.equal((await find(spelled))?.name, "osconfig.issue");
});

Deno.test("groups, and names of no command, are not steps", async () => {
  for (const name of ["etcd", "node", "node.nothing", "no.such", "node."]) {
    assert.equal(await find(name), undefined, name);
    assert.equal(whyNoModule?.(name), undefined, name);
  }
});

Deno.test("every other command is a step, and every name finds one", async () => {
  const modules = await Promise.all(moduleNames.map(find));
  for (const [index, module] of modules.entries()) {
    assert.ok(module !== undefined, `${moduleNames[index]}`);
  }
  const named = new Set(modules.map((module) => module?.name));
  const left = entries.filter(({ name, group, hidden }) =>
    !group && !hidden && whyNoModule?.(name.replaceAll(" ", ".")) === undefined
  ).filter(({ name }) => {
    const step = name.replaceAll(" ", ".")
      .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return !named.has(step);
  });
  assert.deepEqual(left.map(({ name }) => name), []);
});
