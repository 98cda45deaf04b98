/** Creates the program's bundle: an entry, and a chunk for every lazily loaded part. */

import { relative } from "node:path";
import configuration from "../deno.json" with { type: "json" };
import {
  refusedVariables,
  removedVariables,
  shieldedVariables,
} from "../provisioners/own_command.ts";
import { findPackages, formatNotices, type Package } from "./packages.ts";
import type { Stamp } from "./stamp.ts";

/** Prefix that `deno bundle` adds to chunks with CommonJS code. */
const eagerRequire =
  /import\s*\{\s*createRequire as (__deno_internal_createRequire)\s*\}\s*from\s*"node:module";/g;

/**
 * Bundles the program; the entry is `mod.js`. Reproducible: the output does not depend on where sources and packages
 * are.
 *
 * @param root Root of the project, as a `file:` URL with a trailing slash.
 * @param folder Output folder; must be empty.
 * @param stamp Build facts.
 * @throws {Error} If the bundler fails.
 */
export async function bundle(
  root: URL,
  folder: string,
  stamp: Stamp,
): Promise<void> {
  const scratch = await Deno.realPath(await Deno.makeTempDir());
  try {
    const { all } = await findPackages(new URL("mod.ts", root));
    const imports = await stampImports(root, scratch, stamp, all);
    // Not minified: that saves no time, and drops `using` for variables used once.
    await runForOutput(root, [
      "bundle",
      "--quiet",
      "--code-splitting",
      "--platform=deno",
      // Optional native parts of packages, compiled at installation.
      "--external=*.node",
      `--import-map=${imports}`,
      `--outdir=${folder}`,
      "mod.ts",
    ]);
    const texts = await textsIn(folder);
    const places = await placesFrom(root, scratch, all);
    await Promise.all(
      [...texts.keys()].map((name) => Deno.remove(`${folder}/${name}`)),
    );
    for (const [name, text] of neutral(texts, places)) {
      await Deno.writeTextFile(`${folder}/${name}`, text);
    }
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
  const packages = await commonJsIn(folder);
  await rewrite(
    folder,
    (text) => nameImports(ownFolder(lazyRequire(text)), packages),
  );
  // Compiled executables contain the times of their files.
  const built = new Date(stamp.built);
  for await (const { name } of Deno.readDir(folder)) {
    await Deno.utime(`${folder}/${name}`, built, built);
  }
}

/**
 * Converts a bundle to the portable form.
 *
 * @param folder Folder of the bundle.
 */
export async function toPortable(folder: string): Promise<void> {
  const first = `(${giveBack})(Deno.env,${JSON.stringify(shieldedVariables)});`;
  await rewrite(folder, (text, name) => {
    const lazy = unlinkImports(text);
    return name === "mod.js" ? `${first}\n${lazy}` : lazy;
  });
}

/**
 * Converts a bundle for `deno compile`, without a launcher.
 *
 * @param folder Folder of the bundle.
 */
export async function toCompiled(folder: string): Promise<void> {
  const [removed, refused] = [removedVariables, refusedVariables]
    .map((names) => JSON.stringify(names));
  const first = `(${forget})(Deno,${removed},${refused});`;
  await rewrite(
    folder,
    (text, name) => name === "mod.js" ? `${first}\n${text}` : text,
  );
}

/** A local folder, and its name in a bundle. */
interface BundlePlace {
  /** Path relative to the project root, as the bundler writes it; matches up to the trailing slash. */
  readonly path: RegExp;
  /** Name without a trailing slash. */
  readonly name: string;
}

/**
 * Removes build paths from a bundle, and the chunk name hashes that depend on them. Chunks are numbered in the order
 * they are reached from `mod.js`.
 *
 * @param texts Chunks by file name.
 * @param places Folders outside the project.
 * @returns Chunks by new file name.
 * @throws {Error} If a chunk is unreachable, or an old name remains.
 */
export function neutral(
  texts: ReadonlyMap<string, string>,
  places: readonly BundlePlace[],
): ReadonlyMap<string, string> {
  const names = new Map([["mod.js", "mod.js"]]);
  const taken = new Set(names.values());
  // Iterating a map includes entries added meanwhile.
  for (const [old] of names) {
    for (const [, chunk = ""] of (texts.get(old) ?? "").matchAll(chunkNames)) {
      if (!texts.has(chunk) || names.has(chunk)) continue;
      const stem = chunk.replace(/(-[0-9A-Z]{8})?\.js$/, "");
      let name = `${stem}.js`;
      for (let n = 2; taken.has(name); n++) name = `${stem}-${n}.js`;
      taken.add(name);
      names.set(chunk, name);
    }
  }
  const lost = [...texts.keys()].filter((name) => !names.has(name));
  if (lost.length > 0) throw new Error(`Nothing loads ${lost.join(", ")}`);
  return new Map([...names].map(([old, name]) => {
    const text = (texts.get(old) ?? "").replace(
      chunkNames,
      (whole, chunk) => names.has(chunk) ? `"./${names.get(chunk)}"` : whole,
    );
    return [name, places.reduce(withoutPlace, text)];
  }));
}

const chunkNames = /"\.\/([\w.-]+\.js)"/g;

function withoutPlace(text: string, { path, name }: BundlePlace): string {
  return text.replace(path, `${name}/`);
}

/**
 * Defers loading of `node:module`, which alone takes longer than an empty program, until CommonJS code requires a
 * built-in module.
 *
 * @param text A chunk.
 * @throws {Error} If the chunk still loads `node:module` at start.
 */
export function lazyRequire(text: string): string {
  const lazy = text.replace(
    eagerRequire,
    (_, name) =>
      `function ${name}(u){let r;return(i)=>(r??=process.getBuiltinModule("node:module").createRequire(u))(i)}`,
  );
  if (lazy.includes("__deno_internal_createRequire}")) {
    throw new Error("Cannot put off createRequire: the bundler writes it anew");
  }
  return lazy;
}

/**
 * Defines the folder name for CommonJS code, which the bundler leaves undefined.
 *
 * @param text A chunk.
 */
export function ownFolder(text: string): string {
  return text.replaceAll(
    /(?<![\w$."'])__dirname(?![\w$"'])/g,
    "import.meta.dirname",
  );
}

/**
 * Restores named imports of dynamically imported CommonJS packages; the bundler leaves only a default export.
 *
 * @param text A chunk.
 * @param packages Names of chunks with such packages.
 */
export function nameImports(
  text: string,
  packages: ReadonlySet<string>,
): string {
  return text.replace(
    /\bimport\("\.\/([\w.-]+\.js)"\)/g,
    (whole, chunk) =>
      packages.has(chunk)
        ? `${whole}.then((m) => ({ ...m.default, default: m.default }))`
        : whole,
  );
}

/**
 * Hides dynamically imported chunks from the runtime, which would read and parse all of them at start.
 *
 * @param text A chunk.
 */
export function unlinkImports(text: string): string {
  return text.replace(
    /\bimport\(("\.\/[\w.-]+\.js")\)/g,
    (_, chunk) => `import(String(${chunk}))`,
  );
}

/**
 * Restores variables set aside by the launcher. Becomes the first line of the bundle, so it must be self-contained.
 *
 * @param env The environment.
 * @param names Variables set aside.
 */
export function giveBack(
  env: Pick<Deno.Env, "get" | "set" | "delete">,
  names: readonly string[],
): void {
  for (const name of names) {
    const kept = env.get("OSCTL_KEPT_" + name);
    env.delete("OSCTL_KEPT_" + name);
    if (kept === undefined) env.delete(name);
    else env.set(name, kept);
  }
}

/**
 * Removes variables meant for other programs of the runtime. Becomes the first line of the bundle, so it must be
 * self-contained.
 *
 * @param runtime The runtime.
 * @param removed Variables to remove.
 * @param refused Variables among them that have already taken effect: the program exits if one is set.
 */
export function forget(
  runtime: {
    readonly env: Pick<Deno.Env, "get" | "delete">;
    readonly stderr: Pick<typeof Deno.stderr, "writeSync">;
    readonly exit: (status: number) => void;
  },
  removed: readonly string[],
  refused: readonly string[],
): void {
  const found = refused.find((name) => runtime.env.get(name));
  if (found !== undefined) {
    const text = "error: Variable " + found +
      " is set, with which osctl would write files that are not its own\n" +
      "hint: Type: env -u " + found + " osctl …\n";
    runtime.stderr.writeSync(new TextEncoder().encode(text));
    runtime.exit(2);
  }
  for (const name of removed) runtime.env.delete(name);
}

async function stampImports(
  root: URL,
  scratch: string,
  stamp: Stamp,
  packages: readonly Package[],
): Promise<string> {
  const release = `${scratch}/release.ts`;
  const text = `export const release = ${JSON.stringify(stamp)};\n`;
  await Deno.writeTextFile(release, text);
  const notices = `${scratch}/notices.ts`;
  const versions = { osctl: configuration.version, deno: Deno.version.deno };
  const readText = (path: string) =>
    Deno.readTextFile(new URL(path, import.meta.url));
  const terms = formatNotices(packages, versions, {
    apache: await readText("../LICENSE"),
    gpl: await readText("licenses/GPL-3.0.txt"),
  });
  await Deno.writeTextFile(
    notices,
    `export const notices = ${JSON.stringify(terms)};\n`,
  );
  const imports = {
    ...configuration.imports,
    [new URL("release.ts", root).href]: `file://${release}`,
    [new URL("commands/_kit/notices.ts", root).href]: `file://${notices}`,
  };
  const path = `${scratch}/imports.json`;
  await Deno.writeTextFile(path, JSON.stringify({ imports }));
  return path;
}

async function placesFrom(
  root: URL,
  scratch: string,
  packages: readonly Package[],
): Promise<readonly BundlePlace[]> {
  const from = await Deno.realPath(root);
  const pathTo = (folder: string) =>
    RegExp.escape(relative(from, folder).replaceAll("\\", "/"));
  // All packages of one host are in one folder.
  const caches = new Set(
    packages.map(({ folder, name, version }) =>
      folder.replace(/[/\\]+$/, "").slice(0, -`/${name}/${version}`.length)
    ),
  );
  return [
    ...[...caches].map((cache) => ({
      path: new RegExp(`${pathTo(cache)}/`, "g"),
      name: "npm",
    })),
    { path: new RegExp(`${pathTo(scratch)}/`, "g"), name: "build" },
  ];
}

async function textsIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    texts.set(name, await Deno.readTextFile(`${folder}/${name}`));
  }
  return texts;
}

async function commonJsIn(folder: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { name } of Deno.readDir(folder)) {
    const text = await Deno.readTextFile(`${folder}/${name}`);
    if (/^export default require_\w+\(\);$/m.test(text)) found.add(name);
  }
  return found;
}

async function rewrite(
  folder: string,
  change: (text: string, name: string) => string,
): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, change(text, name));
  }
}

async function runForOutput(
  root: URL,
  args: readonly string[],
): Promise<string> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: root,
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot run deno ${args[0]}`);
  return new TextDecoder().decode(stdout);
}
