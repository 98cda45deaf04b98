/** Source files of the project. */

/** Top-level source folders. */
export const folders = [
  "commands",
  "terminal",
  "workflows",
  "transport",
  "provisioners",
  "pki",
  "config",
  "lib",
  "simulator",
  "tools",
] as const;

/** Top-level source files. */
export const files = [
  "mod.ts",
  "errors.ts",
  "interrupts.ts",
  "talos.ts",
  "release.ts",
] as const;

/** One source file. */
export interface SourceFile {
  /** Path from the root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/**
 * Reads all handwritten sources.
 *
 * @param root Root of the project, as a `file:` URL with a trailing slash.
 * @param more Further folders.
 */
export async function sources(
  root: URL,
  more: readonly string[] = [],
): Promise<SourceFile[]> {
  const found: SourceFile[] = [];
  for (const folder of [...folders, ...more]) {
    await collect(root, `${folder}/`, found);
  }
  for (const path of files) {
    found.push({ path, text: await Deno.readTextFile(new URL(path, root)) });
  }
  return found.sort((a, b) => a.path < b.path ? -1 : 1);
}

/** `import … from "x"`, `export … from "x"`, `import "x"`, `import("x")`. */
const specifier = /(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g;

/** Paths from the root of the files that a source imports, types included. */
export function listImports({ path, text }: SourceFile): readonly string[] {
  return [...text.matchAll(specifier)].map(([, target = ""]) =>
    new URL(target, `file:///${path}`).pathname.slice(1)
  );
}

async function collect(
  root: URL,
  folder: string,
  into: SourceFile[],
): Promise<void> {
  for await (const item of Deno.readDir(new URL(folder, root))) {
    const path = `${folder}${item.name}`;
    if (item.isDirectory && path !== "transport/gen") {
      await collect(root, `${path}/`, into);
    } else if (/\.tsx?$/.test(item.name) && item.name !== "_index.ts") {
      into.push({ path, text: await Deno.readTextFile(new URL(path, root)) });
    }
  }
}
