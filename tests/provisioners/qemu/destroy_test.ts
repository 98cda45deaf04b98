import assert from "node:assert/strict";
import { removeCluster } from "../../../provisioners/qemu/destroy.ts";
import { withFolder } from "../../_folder.ts";

/** Starts a process that has the lock of a folder. */
async function serverIn(folder: string): Promise<Deno.ChildProcess> {
  const source = new URL(
    "../../../provisioners/background.ts",
    import.meta.url,
  );
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `import { lockFolder } from ${JSON.stringify(source.href)};
       await lockFolder(${JSON.stringify(folder)});
       console.log("locked");
       setInterval(() => {}, 1000);`,
    ],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  return child;
}

Deno.test("a cluster whose file was cut off is removed with its process, and no other is", async () => {
  const files = { "lab/qemu.json": '{"machines":', "two/qemu.json": "{}" };
  await withFolder(files, async (state) => {
    const server = await serverIn(`${state}/lab`);
    await removeCluster({ state, name: "lab" });
    assert.equal((await server.status).signal, "SIGTERM");
    const left = await Array.fromAsync(Deno.readDir(state));
    assert.deepEqual(left.map(({ name }) => name), ["two"]);
    // Missing objects are fine.
    await removeCluster({ state, name: "lab" });
  });
});
