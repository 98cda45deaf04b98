import assert from "node:assert/strict";
import {
  killStaleServer,
  killStaleServers,
} from "../../../../simulator/etcd/real/etcd_process.ts";

/** A folder with the folders `cp-1` and `cp-2` in it. */
async function withFolder(test: (root: string) => Promise<void>) {
  const root = await Deno.makeTempDir();
  try {
    for (const name of ["cp-1", "cp-2"]) await Deno.mkdir(`${root}/${name}`);
    await test(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Writes the process id where it is looked for. */
async function note(folder: string, pid: unknown): Promise<void> {
  await Deno.writeTextFile(`${folder}/pid`, `${pid}\n`);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.map(({ name }) => name);
}

Deno.test("nothing happens where nothing is noted", async () => {
  await withFolder(async (root) => {
    await note(`${root}/cp-1`, "");
    await killStaleServers(root);
    await killStaleServers(`${root}/nowhere`);
    await killStaleServer(`${root}/nowhere`);
    assert.deepEqual(await namesIn(`${root}/cp-1`), ["pid"]);
  });
});
