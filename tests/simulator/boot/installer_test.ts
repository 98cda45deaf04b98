import assert from "node:assert/strict";
import { powerOff } from "../../../simulator/boot/boot.ts";
import {
  preflightRefusal,
  runInstaller,
} from "../../../simulator/boot/installer.ts";
import { listProcesses } from "../../../simulator/node/processes.ts";
import { bootedNode, stopped } from "../_node.ts";

const image = "ghcr.io/siderolabs/installer:v1.13.0";

Deno.test("an installer is a process while it runs, and ends with the power", async () => {
  let processes: readonly string[] = [];
  const clock = {
    ...stopped,
    sleep() {
      processes = listProcesses(node).map(({ args }) => args);
      powerOff(node);
      return Promise.resolve();
    },
  };
  const node = await bootedNode({ clock });
  const say = () => {};
  assert.equal(await runInstaller(node, { image, upgrade: true, say }), 137);
  assert.ok(
    processes.includes(
      "/bin/installer install --disk=/dev/vda --platform=metal --config=none --upgrade=true --force=false --zero=false",
    ),
  );
  assert.equal(node.disk.bootEntries?.chosen, "Talos-v1.12.11.efi");
  assert.equal(node.boot.installer, undefined);
});

Deno.test("an installer goes two minor versions forward and one back", () => {
  const over = (tag: string, host: string) => preflightRefusal(tag, host);
  assert.equal(over("v1.12.11", "v1.10.0"), undefined);
  assert.equal(
    over("v1.12.11", "v1.9.6"),
    "host version 1.9.6 is too old to upgrade to Talos 1.12.11",
  );
  assert.equal(over("v1.12.11", "v1.13.9"), undefined);
  assert.equal(
    over("v1.12.11", "v1.14.0"),
    "host version 1.14.0 is too new to downgrade to Talos 1.12.11",
  );
  assert.equal(over("latest", "v1.9.0"), undefined);
});
