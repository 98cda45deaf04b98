import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import {
  refusedVariables,
  removedVariables,
} from "../../provisioners/own_command.ts";
import {
  bundle,
  forget,
  giveBack,
  lazyRequire,
  nameImports,
  neutral,
  ownFolder,
  toPortable,
  unlinkImports,
} from "../../tools/bundle.ts";
import { files, folders } from "../../tools/sources.ts";

/** Longest time of a test here. */
export const longestSeconds = 180;

Deno.test("ownFolder gives code the name of its folder, and leaves texts and members alone", () => {
  const code = 'a(__dirname, "__dirname", x.__dirname, `${__dirname}/b`)';
  assert.equal(
    ownFolder(code),
    'a(import.meta.dirname, "__dirname", x.__dirname, `${import.meta.dirname}/b`)',
  );
});

Deno.test("lazyRequire loads node:module when CommonJS code first asks", () => {
  const eager =
    'import{createRequire as __deno_internal_createRequire} from "node:module";var m=__deno_internal_createRequire(import.meta.url);';
  assert.equal(
    lazyRequire(eager),
    'function __deno_internal_createRequire(u){let r;return(i)=>(r??=process.getBuiltinModule("node:module").createRequire(u))(i)}var m=__deno_internal_createRequire(import.meta.url);',
  );
});

Deno.test("unlinkImports hides chunks, and nothing else", () => {
  assert.equal(
    unlinkImports(
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

Deno.test("forget removes variables of the runtime, and ends where one had its effect", () => {
  const variables = new Map([["SSLKEYLOGFILE", "/keys"], ["OTHER", "stays"]]);
  const said: string[] = [];
  const ends: number[] = [];
  const runtime = {
    env: {
      get: (name: string) => variables.get(name),
      delete: (name: string) => void variables.delete(name),
    },
    stderr: {
      writeSync: (bytes: Uint8Array) =>
        said.push(new TextDecoder().decode(bytes)),
    },
    exit: (status: number) => void ends.push(status),
  };
  forget(runtime, removedVariables, refusedVariables);
  assert.deepEqual([...variables], [["OTHER", "stays"]]);
  assert.deepEqual([said, ends], [[], []]);
  variables.set("NODE_V8_COVERAGE", "/tmp/x");
  forget(runtime, removedVariables, refusedVariables);
  assert.deepEqual(ends, [2]);
  assert.match(said.join(), /^error: Variable NODE_V8_COVERAGE is set/);
});

Deno.test("nameImports spreads packages of CommonJS, and nothing else", () => {
  assert.equal(
    nameImports(
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

/** Runs a test with a bundle, before and after it is made portable. */
async function withBundle(
  make: (folder: string) => Promise<void>,
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await make(folder);
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
  const source = new URL(`file://${root}/`);
  const made = (folder: string) => bundle(source, folder, stamp);
  await withBundle(made, async (folder) => {
    const { out, err } = await run(`${folder}/mod.js`);
    assert.equal(err, "");
    assert.equal(out, "used closed [ 1 ]\n");
  });
  await Deno.remove(root, { recursive: true });
});

/** Root of the project, and its bundle, which is made once for all tests. */
const project = new URL("../../", import.meta.url);
const made = await Deno.makeTempDir();
addEventListener("unload", () => Deno.removeSync(made, { recursive: true }));
await bundle(project, made, stamp);

/** Names, times and contents of the files of a bundle. */
async function filesIn(folder: string): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>();
  for await (const { name } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    const { mtime } = await Deno.stat(path);
    found.set(name, { mtime, text: await Deno.readTextFile(path) });
  }
  return found;
}

Deno.test("bundle makes the same files of the same sources in every folder", async () => {
  const elsewhere = await Deno.realPath(await Deno.makeTempDir());
  try {
    const copy = new URL(`file://${elsewhere}/some/where/else/`);
    for (const path of [...folders, ...files, "deno.json", "deno.lock"]) {
      await cp(new URL(path, project), new URL(path, copy), {
        recursive: true,
      });
    }
    const again = `${elsewhere}/bundle`;
    await bundle(copy, again, stamp);
    const [here, there] = [await filesIn(made), await filesIn(again)];
    assert.deepEqual([...there.keys()].sort(), [...here.keys()].sort());
    for (const [name, file] of here) {
      assert.deepEqual(there.get(name), file, name);
    }
  } finally {
    await Deno.remove(elsewhere, { recursive: true });
  }
});

Deno.test("bundle tells nothing of the machine it was made on, and the licence of every package", async () => {
  const texts = new Map<string, string>();
  for await (const { name } of Deno.readDir(made)) {
    texts.set(name, await Deno.readTextFile(`${made}/${name}`));
  }
  const own = [...texts.values()].join("");
  assert.doesNotMatch(own, /\.\.\/(root|home|Users|tmp|var)\//);
  assert.match(own, /^\/\/ npm\/yaml\/2/m);
  const notices = texts.get("notices.js") ?? "";
  assert.match(notices, /\bDeno 2\.[\d.]+ \(MIT\)/);
  assert.match(notices, /\btar-stream [\d.]+ \(MIT\)/);
  assert.match(
    notices,
    /\bopenpgp [\d.]+ \(LGPL[^]*\bGNU LESSER GENERAL[^]*\bGNU GENERAL PUBLIC LICENSE\b/,
  );
});

/** Reports every use of a global whose first use takes long: modules of Node are loaded, or tables of languages. */
const watch = `
for (const name of ["process", "Buffer", "global", "setTimeout", "clearTimeout", "setInterval", "setImmediate", "Intl"]) {
  const value = Object.getOwnPropertyDescriptor(globalThis, name);
  const tell = () => Deno.stderr.writeSync(new TextEncoder().encode(name + " was used\\n"));
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() { tell(); return value.get ? value.get.call(globalThis) : value.value; },
  });
}
`;

Deno.test("bundle starts without modules and globals that take long", async () => {
  const copied = (folder: string) => cp(made, folder, { recursive: true });
  await withBundle(copied, async (folder) => {
    const chunks = await start(folder, "mod.js");
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
  });
});

/** Modules that are loaded before the first line of `name` runs, and itself. */
async function start(
  folder: string,
  name: string,
  found = new Set<string>(),
): Promise<ReadonlySet<string>> {
  if (found.has(name)) return found;
  found.add(name);
  if (!name.endsWith(".js")) return found;
  const text = await Deno.readTextFile(`${folder}/${name}`);
  for (const [, target] of text.matchAll(/(?:from|import)\s*"([^"\n]+)"/g)) {
    await start(folder, (target ?? "").replace("./", ""), found);
  }
  return found;
}
