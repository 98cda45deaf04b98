/** Image of stand-in nodes: the runtime, the libraries that it needs from this machine, and a bundle. */

import { Buffer } from "node:buffer";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { openEngine } from "../../provisioners/docker/engine.ts";
import { withFolder } from "../_folder.ts";
import { importImage } from "../_import_image.ts";

/** Bundles the program of stand-in nodes. */
export async function bundleStandIn(path: string): Promise<void> {
  const main = new URL("main.ts", import.meta.url).pathname;
  const args = ["bundle", "--quiet", "--platform=deno", `--output=${path}`];
  const bundling = new Deno.Command(Deno.execPath(), { args: [...args, main] });
  const { success, stderr } = await bundling.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** Imports the image into the engine at `host`. */
export async function importStandIn(
  host: string,
  image: string,
): Promise<void> {
  await withFolder({}, async (folder) => {
    await bundleStandIn(`${folder}/stand_in.js`);
    const files = new Map([
      ["/node/deno", Deno.execPath()],
      ["/node/stand_in.js", `${folder}/stand_in.js`],
      ...await listLibraries(),
    ]);
    const start = ["/node/deno", "run", "-A", "/node/stand_in.js"];
    await importImage(await openEngine(() => host), {
      image,
      archive: packFiles(files),
      changes: [
        `ENTRYPOINT ${JSON.stringify(start)}`,
        "ENV DENO_DIR=/tmp/runtime",
        "ENV DENO_NO_UPDATE_CHECK=1",
      ],
    });
  });
}

/** Lists the libraries of this process by path, and the loader by its path in the executable. */
async function listLibraries(): Promise<ReadonlyMap<string, string>> {
  const maps = await Deno.readTextFile("/proc/self/maps");
  const paths = maps.matchAll(/ (\/\S+\.so[\d.]*)$/gm);
  const found = new Map([...paths].map(([, path = ""]) => [path, path]));
  using file = await Deno.open(Deno.execPath());
  const start = new Uint8Array(4096);
  await file.read(start);
  const text = new TextDecoder("latin1").decode(start);
  // The path of the loader is near the start of the executable. Source: ELF, `PT_INTERP`.
  const [, loader] = /(\/lib\S*\/ld-linux[^\0]*)\0/.exec(text) ?? [];
  if (loader !== undefined) found.set(loader, await Deno.realPath(loader));
  return found;
}

async function* packFiles(
  files: ReadonlyMap<string, string>,
): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const filling = (async () => {
    // Mount points of tmpfs and volumes.
    for (const name of ["run", "system", "tmp", "var", "etc", "proc", "sys"]) {
      archive.entry({ name, type: "directory", mode: 0o755 });
    }
    for (const [path, source] of files) {
      const bytes = await Deno.readFile(source);
      const entry = { name: path.slice(1), mode: 0o755, size: bytes.length };
      await new Promise<void>((resolve, reject) => {
        archive.entry(
          entry,
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
