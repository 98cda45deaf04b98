/** Command lines against a client configuration of their own. */

import type { FakeNodes } from "../../_fake.ts";
import { type Ran, run, type RunOptions } from "../../_run.ts";

/** A folder with a client configuration. */
export interface ConfigFile {
  /** Folder that is removed afterwards. */
  readonly dir: string;
  readonly path: string;
  /** Runs a command line with this client configuration, words separated by spaces. */
  readonly osctl: (
    line: string,
    options?: RunOptions & { readonly nodes?: FakeNodes },
  ) => Promise<Ran>;
  /** Content of the client configuration. */
  readonly text: () => Promise<string>;
  /** Writes a file beside it and tells its path. */
  readonly write: (name: string, content: string) => Promise<string>;
}

/** Declares a test that starts from a client configuration; `undefined` for none. */
export function testWith(
  content: string | undefined,
  name: string,
  test: (file: ConfigFile) => Promise<void>,
): void {
  Deno.test(name, async () => {
    const dir = await Deno.makeTempDir();
    const path = `${dir}/config`;
    try {
      if (content !== undefined) await Deno.writeTextFile(path, content);
      await test({
        dir,
        path,
        osctl: (line, { nodes, ...options } = {}) =>
          run(`--osconfig ${path} ${line}`, nodes, options),
        text: () => Deno.readTextFile(path),
        async write(name, content) {
          await Deno.writeTextFile(`${dir}/${name}`, content);
          return `${dir}/${name}`;
        },
      });
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  });
}

/** Permissions of a file. */
export async function readMode(path: string): Promise<number> {
  return ((await Deno.stat(path)).mode ?? 0) & 0o777;
}

/** Names in a folder, sorted. */
export async function namesIn(dir: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(dir));
  return entries.map(({ name }) => name).sort();
}

/** Base64 of a text, as contexts hold PEM files. */
export function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

export const silence = { out: "", err: "", status: 0 };

export function toOutput({ out, err, status }: Ran): Omit<Ran, "bytes"> {
  return { out, err, status };
}

/** Two contexts with comments, an unknown field, and `b` current. */
export const twoContexts = `# by hand
context: b
contexts:
    # the old one
    a:
        endpoints:
            - 10.0.0.1
    b:
        endpoints:
            - 10.1.0.1
            - 10.1.0.2:50001
        nodes:
            - 10.1.0.5
        future: [1, 2]
`;
