import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import {
  bundle,
  giveBack,
  lazyRequire,
  namedImports,
  neutral,
  toPortable,
  unlinkedImports,
} from "../../tools/bundle.ts";
import { portable } from "../../tools/portable.ts";
import { files, folders } from "../../tools/sources.ts";

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

Deno.test("namedImports spreads packages of CommonJS, and nothing else", () => {
  assert.equal(
    namedImports(
      'import("./dist-A.js");import("./chunk-B.js")',
      new Set(["dist-A.js"]),
    ),
    'import("./dist-A.js").then((m) => ({ ...m.default, default: m.default }));import("./chunk-B.js")',
  );
});

Deno.test("neutral names chunks by the order in which they are reached, and paths by what they hold", () => {
  const texts = new Map([
    ["mod.js", 'import"./b-AAAAAAAA.js";import("./chunk-BBBBBBBB.js");'],
    [
      "chunk-BBBBBBBB.js",
      "// ../../home/me/npm/host.example/yaml/2.9.1/x.js\n",
    ],
    [
      "b-AAAAAAAA.js",
      'import"./chunk-CCCCCCCC.js";// ../../tmp/4711/release.ts\n"./other.js"',
    ],
    ["chunk-CCCCCCCC.js", 'import"./mod.js"'],
  ]);
  const places = [
    { path: /\.\.\/\.\.\/home\/me\/npm\/[^/]+\//g, name: "npm" },
    { path: /\.\.\/\.\.\/tmp\/4711\//g, name: "build" },
  ];
  assert.deepEqual([...neutral(texts, places)], [
    ["mod.js", 'import"./b.js";import("./chunk.js");'],
    ["b.js", 'import"./chunk-2.js";// build/release.ts\n"./other.js"'],
    ["chunk.js", "// npm/yaml/2.9.1/x.js\n"],
    ["chunk-2.js", 'import"./mod.js"'],
  ]);
  assert.throws(() => neutral(new Map([...texts, ["x-DDDDDDDD.js", ""]]), []), {
    message: "Nothing loads x-DDDDDDDD.js",
  });
});

const stamp = { tag: "v9.8.7", sha: "abc", built: "2026-01-02T03:04:05Z" };

/** Bundles a project and runs a test with the bundle, before and after it is made portable. */
async function withBundle(
  root: URL,
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await bundle(root, folder, stamp);
    await body(folder);
    await toPortable(folder);
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(
  ...args: readonly string[]
): Promise<{ readonly out: string; readonly err: string }> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", "--no-lock", "--no-npm", ...args],
  }).output();
  const text = new TextDecoder();
  return { out: text.decode(stdout), err: text.decode(stderr) };
}

Deno.test("bundle keeps what a program means", async () => {
  const root = await Deno.makeTempDir();
  await Deno.writeTextFile(
    `${root}/mod.ts`,
    `const closed: string[] = [];
async function use() {
  using one = {
    word: () => Promise.resolve("used"),
    [Symbol.dispose]: () => void closed.push("closed"),
  };
  return await one.word();
}
const { parse } = await import("yaml");
console.log(await use(), ...closed, parse("[1]"));
`,
  );
  await withBundle(new URL(`file://${root}/`), async (folder) => {
    const { out, err } = await run(`${folder}/mod.js`);
    assert.equal(err, "");
    assert.equal(out, "used closed [ 1 ]\n");
  });
  await Deno.remove(root, { recursive: true });
});

/** All that is packed of a project: names, times and contents. */
async function packed(root: URL): Promise<ReadonlyMap<string, unknown>> {
  const folder = await Deno.makeTempDir();
  try {
    await bundle(root, folder, stamp);
    const found = new Map<string, unknown>();
    for await (const { name } of Deno.readDir(folder)) {
      const path = `${folder}/${name}`;
      const { mtime } = await Deno.stat(path);
      found.set(name, { mtime, text: await Deno.readTextFile(path) });
    }
    await toPortable(folder);
    // Any file will do for the runtime, which is the same in all builds.
    const runtime = new URL("../../deno.json", import.meta.url).pathname;
    const platform = { platform: "linux-amd64", caches: ".cache" };
    const parts = { ...platform, tag: stamp.tag, runtime, bundle: folder };
    found.set("osctl", (await portable(parts)).toBase64());
    return found;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("bundle makes the same files of the same sources in every folder", async () => {
  const root = new URL("../../", import.meta.url);
  const elsewhere = await Deno.realPath(await Deno.makeTempDir());
  try {
    const copy = new URL(`file://${elsewhere}/some/where/else/`);
    for (const path of [...folders, ...files, "deno.json", "deno.lock"]) {
      await cp(new URL(path, root), new URL(path, copy), { recursive: true });
    }
    const [here, there] = [await packed(root), await packed(copy)];
    assert.deepEqual([...there.keys()].sort(), [...here.keys()].sort());
    for (const [name, file] of here) {
      assert.deepEqual(there.get(name), file, name);
    }
    const own = [...here.values()].map((file) => JSON.stringify(file)).join("");
    for (
      const place of [Deno.env.get("HOME") ?? "/root", "/deno/npm/", elsewhere]
    ) {
      assert.ok(!own.includes(`..${place}`), place);
    }
  } finally {
    await Deno.remove(elsewhere, { recursive: true });
  }
});

/** Tells of every use of a global whose first use loads modules of Node. */
const watch = `
for (const name of ["process", "Buffer", "global", "setTimeout", "clearTimeout", "setInterval", "setImmediate"]) {
  const value = Object.getOwnPropertyDescriptor(globalThis, name);
  const tell = () => Deno.stderr.writeSync(new TextEncoder().encode(name + " was used\\n"));
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() { tell(); return value.get ? value.get.call(globalThis) : value.value; },
  });
}
`;

Deno.test("bundle starts without modules and globals of Node", async () => {
  const root = new URL("../../", import.meta.url);
  await withBundle(root, async (folder) => {
    const chunks = await started(folder, "mod.js");
    assert.deepEqual([...chunks].filter((name) => name.includes(":")), []);
    const preload = `${folder}/../${crypto.randomUUID()}.js`;
    await Deno.writeTextFile(preload, watch);
    const program = ["--preload", preload, `${folder}/mod.js`];
    for (const line of ["--help", "completion bash", "__complete version --"]) {
      const { out, err } = await run(...program, ...line.split(" "));
      assert.equal(err, "");
      assert.ok(out.length > 20);
    }
    const { out, err } = await run(...program, "version", "--client");
    assert.equal(err, "");
    assert.match(
      out,
      /^Client:\n\tTag: +v9\.8\.7\n\tSHA: +abc\n\tBuilt: +2026-01-02T03:04:05Z\n/,
    );
    await Deno.remove(preload);
    const { out: terms } = await run(
      `${folder}/mod.js`,
      "version",
      "--licenses",
    );
    assert.match(terms, /^Deno 2\.\S+ \(MIT\)$/m);
    assert.match(terms, /^tar-stream \S+ \(MIT\)$/m);
  });
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
