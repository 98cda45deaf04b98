/** Makes the program's bundle: an entry, and a chunk for every part that is loaded when needed. */

import configuration from "../deno.json" with { type: "json" };
import { shieldedVariables } from "../provisioners/self.ts";
import type { Stamp } from "./stamp.ts";

/** What `deno bundle` writes in front of chunks that hold CommonJS code. */
const eagerRequire =
  /import\s*\{\s*createRequire as (__deno_internal_createRequire)\s*\}\s*from\s*"node:module";/g;

/**
 * Bundles the program; the entry is `mod.js`.
 *
 * @param root Root of the project, as a `file:` URL with a slash at its end.
 * @param folder Folder to write to; must be empty.
 * @param stamp Facts about the build.
 * @throws {Error} If the bundler fails.
 */
export async function bundle(
  root: URL,
  folder: string,
  stamp: Stamp,
): Promise<void> {
  const scratch = await Deno.makeTempDir();
  try {
    const imports = await stampedImports(root, scratch, stamp);
    // Not minified: that saves no time, and drops `using` where the variable is used once.
    await deno(root, [
      "bundle",
      "--quiet",
      "--code-splitting",
      "--platform=deno",
      `--import-map=${imports}`,
      `--outdir=${folder}`,
      "mod.ts",
    ]);
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
  const packages = await commonJsIn(folder);
  await rewrite(
    folder,
    (text) => namedImports(lazyRequire(text), packages),
  );
}

/**
 * Changes a bundle into that of the portable form.
 *
 * @param folder Folder of the bundle.
 */
export async function toPortable(folder: string): Promise<void> {
  const first = `(${giveBack})(Deno.env,${JSON.stringify(shieldedVariables)});`;
  await rewrite(folder, (text, name) => {
    const lazy = unlinkedImports(text);
    return name === "mod.js" ? `${first}\n${lazy}` : lazy;
  });
}

/**
 * Puts off the loading of `node:module`, which alone takes longer than an empty program, until
 * CommonJS code asks for a module of the runtime.
 *
 * @param text A chunk.
 * @throws {Error} If the chunk still loads `node:module` as it starts.
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
 * Gives dynamic imports of CommonJS packages the names that the sources import; the bundler leaves
 * them with a default export only.
 *
 * @param text A chunk.
 * @param packages Names of the chunks that are such packages.
 */
export function namedImports(
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
 * Hides the chunks that an import names from the runtime, which else reads and parses, at start, all
 * that could ever be loaded.
 *
 * @param text A chunk.
 */
export function unlinkedImports(text: string): string {
  return text.replace(
    /\bimport\(("\.\/[\w.-]+\.js")\)/g,
    (_, chunk) => `import(String(${chunk}))`,
  );
}

/**
 * Restores the variables that the launcher set aside. It becomes the first line of the bundle, so
 * it must not use anything from outside.
 *
 * @param env The environment.
 * @param names Variables that were set aside.
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

async function stampedImports(
  root: URL,
  scratch: string,
  stamp: Stamp,
): Promise<string> {
  const release = `${scratch}/release.ts`;
  const text = `export const release = ${JSON.stringify(stamp)};\n`;
  await Deno.writeTextFile(release, text);
  const imports = {
    ...configuration.imports,
    [new URL("commands/_kit/release.ts", root).href]: `file://${release}`,
  };
  const path = `${scratch}/imports.json`;
  await Deno.writeTextFile(path, JSON.stringify({ imports }));
  return path;
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

async function deno(root: URL, args: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: root,
    stdout: "null",
  }).output();
  if (!success) throw new Error(`Cannot run deno ${args[0]}`);
}
