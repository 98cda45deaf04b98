import assert from "node:assert/strict";
import { stringify } from "yaml";
import { pause } from "../../../lib/pause.ts";
import { exists } from "../../../lib/files/exists.ts";
import { qemu } from "../../../provisioners/qemu/provisioner.ts";
import { withFolder } from "../../_folder.ts";
import { needs } from "../../_needs.ts";

const { signal } = new AbortController();
const progress = {
  phase: <T>(_: string, work: (say: () => void) => Promise<T>) =>
    work(() => {}),
  node() {},
  warn() {},
};

/** The state of a cluster as talosctl writes it; ports of the servers of its machines by name. */
function stateFile(ports: Readonly<Record<string, number>>): string {
  return stringify({
    provisionername: "qemu",
    bridgename: "osbrmissing1",
    clusterinfo: {
      clustername: "lab",
      network: { name: "lab", cidrs: [], gatewayaddrs: ["127.0.0.1"], mtu: 1 },
      nodes: Object.entries(ports).map(([name, apiport]) => (
        { name, apiport, ips: [name], type: "worker" }
      )),
      kubernetesendpoint: "",
    },
  });
}

async function launch(folder: string, name: string) {
  const monitor = `${folder}/${name}.monitor`;
  const script =
    `qemu-system-x86_64 -machine none -display none -monitor unix:${monitor},server=on,wait=off & wait $!`;
  const launcher = new Deno.Command("sh", {
    args: ["-c", script, "qemu-launch"],
    stderr: "null",
  }).spawn();
  await Deno.writeTextFile(`${folder}/${name}.pid`, `${launcher.pid}`);
  while (!await exists(monitor)) await pause(10);
  return launcher;
}

/** Waits until no emulator of a folder runs. */
async function untilQuit(folder: string): Promise<void> {
  const search = { args: ["-f", `qemu-system.*${folder}/`] };
  for (let left = 500; left > 0; left--) {
    if (!(await new Deno.Command("pgrep", search).output()).success) return;
    await pause(10);
  }
  assert.fail("the emulator still runs");
}

Deno.test(
  "a cluster that talosctl has made is shown, switched and destroyed, also with an emulator that its launcher has left",
  needs("qemu-system-x86_64", "pgrep"),
  async () => {
    const asked: string[] = [];
    const serve = (isOn: boolean) =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        (request) => {
          asked.push(`${request.method} ${new URL(request.url).pathname}`);
          return Response.json({ PoweredOn: isOn });
        },
      );
    const [on, off] = [serve(true), serve(false)];
    const state = stateFile({ a: on.addr.port, b: off.addr.port, c: 1 });
    try {
      await withFolder({ "lab/state.yaml": state }, async (folder) => {
        const place = { state: folder, name: "lab" };
        const lab = `${folder}/lab`;
        const before = await qemu.show(place);
        assert.deepEqual([before?.running, before?.off], [false, []]);
        const [a, b] = [await launch(lab, "a"), await launch(lab, "b")];
        const shown = await qemu.show(place);
        assert.deepEqual([shown?.running, shown?.off], [true, ["b", "c"]]);
        const [node] = shown?.cluster.clusterinfo.nodes ?? [];
        assert.ok(node);
        await qemu.power(place, { action: "cycle", nodes: [node] }, signal);
        assert.deepEqual(asked.sort(), [
          "GET /status",
          "GET /status",
          "POST /reboot",
        ]);
        await Deno.writeTextFile(`${lab}/a.log`, "console");
        const [said] = await Array.fromAsync(qemu.logs(place, node, signal));
        assert.equal(new TextDecoder().decode(said), "console");
        b.kill("SIGKILL");
        await b.status;
        const unrelated = new Deno.Command("sleep", { args: ["60"] }).spawn();
        await Deno.writeTextFile(`${lab}/dhcpd.pid`, `${unrelated.pid}`);
        await qemu.destroy(place, { signal, progress });
        assert.equal((await a.status).signal, "SIGTERM");
        await untilQuit(lab);
        unrelated.kill("SIGKILL");
        assert.equal((await unrelated.status).signal, "SIGKILL");
        assert.equal(await exists(lab), false);
      });
    } finally {
      await on.shutdown();
      await off.shutdown();
    }
  },
);
