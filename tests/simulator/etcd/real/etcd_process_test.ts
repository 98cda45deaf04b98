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

/** Starts a process that names a file and continues until it is ended. */
async function follow(file: string): Promise<Deno.ChildProcess> {
  const process = new Deno.Command("tail", {
    args: ["-f", file],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  // For a moment a new process has the command line of the one that started it.
  const line = () => Deno.readTextFile(`/proc/${process.pid}/cmdline`);
  while (Deno.build.os === "linux" && !(await line()).includes(file)) {
    await new Promise((go) => setTimeout(go, 1));
  }
  return process;
}

/** Writes the process id where it is looked for. */
async function note(folder: string, pid: unknown): Promise<void> {
  await Deno.writeTextFile(`${folder}/pid`, `${pid}\n`);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.map(({ name }) => name);
}

Deno.test("what was left behind in any folder is ended, and not noted any more", async () => {
  await withFolder(async (root) => {
    const left = [];
    for (const folder of [`${root}/cp-1`, `${root}/cp-2`]) {
      await note(folder, "0");
      const process = await follow(`${folder}/pid`);
      await note(folder, process.pid);
      left.push(process);
    }
    await killStaleServers(root);
    const ends = await Promise.all(left.map(({ status }) => status));
    assert.deepEqual(ends.map(({ signal }) => signal), ["SIGKILL", "SIGKILL"]);
    assert.deepEqual(await namesIn(`${root}/cp-1`), []);
    assert.deepEqual(await namesIn(`${root}/cp-2`), []);
  });
});

Deno.test("a process of something else that got the number stays", async () => {
  await withFolder(async (root) => {
    await using other = await follow("/dev/null");
    await note(`${root}/cp-1`, other.pid);
    await killStaleServer(`${root}/cp-1`);
    assert.deepEqual(await namesIn(`${root}/cp-1`), []);
    other.kill("SIGTERM");
    assert.equal((await other.status).signal, "SIGTERM");
  });
});

Deno.test("nothing happens where nothing is noted", async () => {
  await withFolder(async (root) => {
    await note(`${root}/cp-1`, "");
    await killStaleServers(root);
    await killStaleServers(`${root}/nowhere`);
    await killStaleServer(`${root}/nowhere`);
    assert.deepEqual(await namesIn(`${root}/cp-1`), ["pid"]);
  });
});
