import assert from "node:assert/strict";
import {
  bundle,
  giveBack,
  lazyRequire,
  unlinkedImports,
} from "../../tools/bundle.ts";

Deno.test("lazyRequire loads node:module when CommonJS code first asks", () => {
  const eager =
    'import{createRequire as __deno_internal_createRequire} from "node:module";var m=__deno_internal_createRequire(import.meta.url);';
  assert.equal(
    lazyRequire(eager),
    'function __deno_internal_createRequire(u){let r;return(i)=>(r??=process.getBuiltinModule("node:module").createRequire(u))(i)}var m=__deno_internal_createRequire(import.meta.url);',
  );
});

Deno.test("unlinkedImports hides chunks, and nothing else", () => {
  assert.equal(
    unlinkedImports(
      'import{a}from"./chunk-A.js";b(()=>import("./chunk-B_c.js"),import("node:fs"),"import(x)")',
    ),
    'import{a}from"./chunk-A.js";b(()=>import(String("./chunk-B_c.js")),import("node:fs"),"import(x)")',
  );
});

Deno.test("giveBack restores what was set aside and removes what was not", () => {
  const variables = new Map([
    ["DENO_DIR", "/cache"],
    ["OSCTL_KEPT_DENO_DIR", ""],
    ["DENO_NO_UPDATE_CHECK", "1"],
    ["OTHER", "stays"],
  ]);
  const env = {
    get: (name: string) => variables.get(name),
    set: (name: string, value: string) => void variables.set(name, value),
    delete: (name: string) => void variables.delete(name),
  };
  giveBack(env, ["DENO_DIR", "DENO_NO_UPDATE_CHECK", "NODE_OPTIONS"]);
  assert.deepEqual([...variables], [["DENO_DIR", ""], ["OTHER", "stays"]]);
});

Deno.test("bundle carries its stamp and starts without modules of Node", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const stamp = { tag: "v9.8.7", sha: "abc", built: "2026-01-02T03:04:05Z" };
    await bundle(new URL("../../", import.meta.url), folder, stamp);
    const chunks = await started(folder, "mod.js");
    assert.deepEqual([...chunks].filter((name) => name.includes(":")), []);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        "--no-config",
        `${folder}/mod.js`,
        "version",
        "--client",
      ],
    }).output();
    assert.match(
      new TextDecoder().decode(stdout),
      /^Client:\n\tTag: +v9\.8\.7\n\tSHA: +abc\n\tBuilt: +2026-01-02T03:04:05Z\n/,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** Modules that are loaded before the first line of `name` runs, and itself. */
async function started(
  folder: string,
  name: string,
  found = new Set<string>(),
): Promise<ReadonlySet<string>> {
  if (found.has(name)) return found;
  found.add(name);
  if (!name.endsWith(".js")) return found;
  const text = await Deno.readTextFile(`${folder}/${name}`);
  for (const [, target] of text.matchAll(/(?:from|import)\s*"([^"]+)"/g)) {
    await started(folder, (target ?? "").replace("./", ""), found);
  }
  return found;
}
