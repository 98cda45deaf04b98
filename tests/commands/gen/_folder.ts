/** Command lines that write into a folder of their own. */

import { type Ran, run, type RunOptions } from "../../_run.ts";

/** A folder that is removed afterwards. */
export interface Folder {
  readonly dir: string;
  /** Runs a command line, words separated by spaces or a list; `DIR` stands for the folder. */
  readonly osctl: (
    line: string | readonly string[],
    options?: RunOptions,
  ) => Promise<Ran>;
  readonly read: (name: string) => Promise<string>;
  readonly write: (name: string, content: string) => Promise<void>;
}

/** Declares a test that starts from an empty folder. */
export function testIn(
  name: string,
  test: (folder: Folder) => Promise<void>,
  options: { readonly ignore?: boolean } = {},
): void {
  Deno.test({
    name,
    ...options,
    async fn() {
      const dir = await Deno.makeTempDir();
      try {
        await test({
          dir,
          osctl(line, options) {
            const words = typeof line === "string" ? line.split(" ") : line;
            const named = words.map((word) => word.replaceAll("DIR", dir));
            return run(named, {}, options);
          },
          read: (name) => Deno.readTextFile(`${dir}/${name}`),
          write: (name, content) =>
            Deno.writeTextFile(`${dir}/${name}`, content),
        });
      } finally {
        await Deno.remove(dir, { recursive: true });
      }
    },
  });
}

/** Ed25519 key that tests start from. */
export const someKey = `-----BEGIN ED25519 PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
-----END ED25519 PRIVATE KEY-----
`;
