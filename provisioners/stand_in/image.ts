/** The image of stand-in nodes: this program, and what of this machine it needs to run; nothing else. */

import { Buffer } from "node:buffer";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { ConfigError } from "../../errors.ts";
import { selfCommand } from "../self.ts";

interface StandInImage {
  /** Its files: a tar archive, made as it is read. */
  readonly archive: AsyncIterable<Uint8Array>;
  /** What the engine is to make of them, as lines of a Dockerfile. */
  readonly changes: readonly string[];
}

const home = "/osctl";

/**
 * Makes the image of the running program.
 *
 * @throws {ConfigError} If it runs from its sources, or not on Linux.
 */
export async function standInImage(): Promise<StandInImage> {
  if (Deno.build.os !== "linux") {
    throw new ConfigError("Cannot build a node image: it needs Linux", {
      hint:
        "Run osctl cluster image on Linux, then move the image here with docker save and docker load",
    });
  }
  const { command, args, env } = selfCommand(["cluster", "stand-in"]);
  if (args.includes("--config")) {
    throw new ConfigError("Cannot build a node image from a checkout", {
      hint: "Build the executable with: deno task build",
    });
  }
  const files = new Map<string, string>();
  // The program is one file, or a runtime with the chunks of the bundle around it.
  const main = args.find((word) => word.endsWith("/mod.js"));
  const inImage = (path: string) => `${home}/${path.replace(/^.*\//, "")}`;
  files.set(inImage(command), command);
  if (main !== undefined) {
    // A path, which the launcher does not name as a URL.
    const folder = main.slice(0, main.lastIndexOf("/") + 1);
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (isFile && name.endsWith(".js")) {
        files.set(`${home}/${name}`, `${folder}${name}`);
      }
    }
  }
  for (const [path, source] of await listLibraries(command)) {
    files.set(path, source);
  }
  const words = [
    inImage(command),
    ...args.map((word) => word === main ? inImage(word) : word),
  ];
  const variables = Object.entries({ ...env, DENO_DIR: "/tmp/runtime" })
    .map(([name, value]) => `ENV ${name}=${JSON.stringify(value)}`);
  return {
    archive: packArchive(files, inImage(command)),
    changes: [`ENTRYPOINT ${JSON.stringify(words)}`, ...variables],
  };
}

/**
 * Libraries that this process has loaded, by the path at which they are looked for; and the loader, at the path that is
 * written in the program.
 */
async function listLibraries(
  command: string,
): Promise<ReadonlyMap<string, string>> {
  const maps = await Deno.readTextFile("/proc/self/maps");
  const paths = maps.matchAll(/ (\/\S+\.so[\d.]*)$/gm);
  const found = new Map([...paths].map(([, path = ""]) => [path, path]));
  using file = await Deno.open(command);
  const start = new Uint8Array(4096);
  await file.read(start);
  const text = new TextDecoder("latin1").decode(start);
  // The loader is named in a segment of the program that is near its start. Source: ELF, `PT_INTERP`.
  const [, loader] = /(\/lib\S*\/ld-linux[^\0]*)\0/.exec(text) ?? [];
  if (loader !== undefined) found.set(loader, await Deno.realPath(loader));
  return found;
}

async function* packArchive(
  files: ReadonlyMap<string, string>,
  program: string,
): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const filling = (async () => {
    // Folders that nodes have in memory or in volumes.
    for (const name of ["run", "system", "tmp", "var", "etc", "proc", "sys"]) {
      archive.entry({ name, type: "directory", mode: 0o755 });
    }
    for (const [path, source] of files) {
      const bytes = await Deno.readFile(source);
      const mode = path === program || path.includes(".so") ? 0o755 : 0o644;
      const size = bytes.length;
      await new Promise<void>((resolve, reject) => {
        archive.entry(
          { name: path.slice(1), mode, size },
          Buffer.from(bytes.buffer),
          (error) => error ? reject(error) : resolve(),
        );
      });
    }
    archive.finalize();
  })().catch((error) => void archive.destroy(error));
  yield* archive;
  await filling;
}
