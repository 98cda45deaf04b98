import assert from "node:assert/strict";
import {
  findProcess,
  isRunning,
  lockFolder,
  startDetached,
  stopProcess,
} from "../../provisioners/background.ts";

async function withFolder(test: (folder: string) => Promise<void>) {
  const state = await Deno.makeTempDir();
  await Deno.mkdir(`${state}/lab`);
  try {
    await test(`${state}/lab`);
  } finally {
    await Deno.remove(state, { recursive: true });
  }
}

/** Starts a process that claims the folder and lives until it is killed. */
async function claimant(folder: string, stubborn = false) {
  const source = new URL("../../provisioners/background.ts", import.meta.url);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `import { lockFolder } from ${JSON.stringify(source.href)};
       ${stubborn ? 'Deno.addSignalListener("SIGTERM", () => {});' : ""}
       await lockFolder(${JSON.stringify(folder)});
       console.log("claimed");
       setInterval(() => {}, 1000);`,
    ],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  return child;
}

Deno.test("findProcess finds the process that claimed the folder", async () => {
  await withFolder(async (folder) => {
    assert.equal(await findProcess(folder), undefined);
    const child = await claimant(folder);
    assert.equal(await findProcess(folder), child.pid);
    const at = folder.lastIndexOf("/");
    const place = { state: folder.slice(0, at), name: folder.slice(at + 1) };
    assert.equal(await isRunning(place), true);
    assert.equal(await lockFolder(folder), undefined);
    child.kill("SIGKILL");
    await child.status;
    assert.equal(await findProcess(folder), undefined);
    assert.equal(await isRunning(place), false);
  });
});

Deno.test("findProcess does not take one that was killed for one that has just got the lock", async () => {
  await withFolder(async (folder) => {
    const child = await claimant(folder);
    child.kill("SIGKILL");
    await child.status;
    using file = await Deno.open(`${folder}/process`);
    await file.lock(true);
    assert.equal(await findProcess(folder), undefined);
    await Deno.writeTextFile(`${folder}/process`, `${Deno.pid}\n`);
    assert.equal(await findProcess(folder), Deno.pid);
  });
});

Deno.test("stopProcess ends the process", async () => {
  await withFolder(async (folder) => {
    const child = await claimant(folder);
    await stopProcess(folder);
    assert.equal((await child.status).signal, "SIGTERM");
    await stopProcess(folder);
  });
});

Deno.test("stopProcess kills a process that does not listen", async () => {
  await withFolder(async (folder) => {
    const child = await claimant(folder, true);
    await stopProcess(folder, 200);
    assert.equal((await child.status).signal, "SIGKILL");
  });
});

Deno.test("startDetached runs osctl in a process of its own, and knows when it has ended", async () => {
  await withFolder(async (folder) => {
    // Without a cluster the process ends by itself.
    const child = startDetached([
      "cluster",
      "serve",
      "--state",
      folder,
      "--name",
      "none",
    ]);
    assert.equal(child.ended(), false);
    assert.notEqual(child.pid, Deno.pid);
    while (!child.ended()) await new Promise((done) => setTimeout(done, 10));
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  });
});
