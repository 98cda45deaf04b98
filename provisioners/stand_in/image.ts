/** Image of stand-in nodes: only osctl and the libraries it needs from this machine. */

import { Buffer } from "node:buffer";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { ConfigError } from "../../errors.ts";
import { selfCommand } from "../self.ts";

interface StandInImage {
  /** Files as a tar archive, generated while it is read. */
  readonly archive: AsyncIterable<Uint8Array>;
  /** Dockerfile instructions to apply. */
  readonly changes: readonly string[];
}

const home = "/osctl";

/**
 * Builds the image from the running program.
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
  // The program is a single file, or Deno with the chunks of the bundle.
  const main = args.find((word) => word.endsWith("/mod.js"));
  const inImage = (path: string) => `${home}/${path.replace(/^.*\//, "")}`;
  files.set(inImage(command), command);
  if (main !== undefined) {
    // A path, not a URL, from the launcher.
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

/** Lists the loaded libraries of this process by their lookup path, and the loader by its path in the executable. */
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
  // The path of the loader is near the start of the executable. Source: ELF, `PT_INTERP`.
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
    // Mount points of tmpfs and volumes.
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
