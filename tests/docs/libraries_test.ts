import assert from "node:assert/strict";
import configuration from "../../deno.json" with { type: "json" };

Deno.test("docs/libraries.md says why each library is there, and names no other", async () => {
  const page = new URL("../../docs/libraries.md", import.meta.url);
  const rows = (await Deno.readTextFile(page)).matchAll(
    /^\| (`.*?) +\| (.+)\|$/gm,
  );
  const named = [...rows].flatMap(([, names = "", why = ""]) => {
    assert.match(why, /\w+ \w+/);
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  });
  const imports = Object.keys(configuration.imports)
    .filter((name) => !name.startsWith("@types/"));
  assert.deepEqual(named.toSorted(), imports.toSorted());
});
