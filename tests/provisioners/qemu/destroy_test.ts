import assert from "node:assert/strict";
import { exists } from "../../../config/files/exists.ts";
import { removeCluster } from "../../../provisioners/qemu/destroy.ts";
import { withFolder } from "../../_folder.ts";

Deno.test("removeCluster stops the machines and servers of the peer's clusters, and no other process", async () => {
  const state =
    "provisionername: qemu\nbridgename: osbrmissing1\nclusterinfo:\n    nodes: []\n";
  await withFolder({ "lab/state.yaml": state }, async (folder) => {
    const start = (name: string) =>
      new Deno.Command("sh", { args: ["-c", "sleep 60; :", name] }).spawn();
    const [launcher, other] = [start("qemu-launch"), start("unrelated")];
    await Deno.writeTextFile(
      `${folder}/lab/lab-worker-1.pid`,
      String(launcher.pid),
    );
    await Deno.writeTextFile(`${folder}/lab/dhcpd.pid`, String(other.pid));
    await removeCluster({ state: folder, name: "lab" });
    assert.equal((await launcher.status).signal, "SIGTERM");
    other.kill("SIGKILL");
    assert.equal((await other.status).signal, "SIGKILL");
    assert.equal(await exists(`${folder}/lab`), false);
  });
});
