import assert from "node:assert/strict";
import { powerOff } from "../../../simulator/boot/boot.ts";
import {
  preflightRefusal,
  runInstaller,
} from "../../../simulator/boot/installer.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { metaKey } from "../../../simulator/node/meta.ts";
import { processesOf } from "../../../simulator/node/processes.ts";
import { bootedNode, stopped } from "../_node.ts";

const image = "ghcr.io/siderolabs/installer:v1.13.0";

Deno.test("an installer writes its image, and word of the one before", async () => {
  const node = await bootedNode();
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  assert.equal(await runInstaller(node, { image, upgrade: true, say }), 0);
  assert.equal(node.disk.bootEntries?.chosen, "Talos-v1.13.0.efi");
  assert.equal(
    new TextDecoder().decode(node.disk.meta.get(metaKey.upgrade)),
    "Talos-v1.12.11.efi",
  );
  assert.deepEqual(lines, [
    "2026/03/01 12:00:00 running Talos installer v1.13.0",
    "2026/03/01 12:00:00 running pre-flight checks",
    "2026/03/01 12:00:00 host Talos version: v1.12.11",
    "2026/03/01 12:00:00 all pre-flight checks successful",
    "2026/03/01 12:00:00 sd-boot: found existing UKIs during install: [Talos-v1.12.11.efi]",
    "2026/03/01 12:00:00 copying /usr/install/amd64/vmlinuz.efi to /boot/EFI/EFI/Linux/Talos-v1.13.0.efi",
    "2026/03/01 12:00:00 copying /usr/install/amd64/systemd-boot.efi to /boot/EFI/EFI/boot/BOOTX64.efi",
    "2026/03/01 12:00:00 updating EFI variables",
    "2026/03/01 12:00:00 installation of v1.13.0 complete",
  ]);
});

Deno.test("a second run in one boot says that it removes the image that runs", async () => {
  const node = await bootedNode();
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  await runInstaller(node, { image, upgrade: true, say: () => {} });
  await runInstaller(node, { image, upgrade: true, say });
  assert.ok(
    lines.includes(
      "2026/03/01 12:00:00 removing old UKI: /boot/EFI/EFI/Linux/Talos-v1.12.11.efi",
    ),
  );
});

Deno.test("an installer that is there to fail says how it is used, and writes nothing", async () => {
  const node = await bootedNode();
  await setFault(node, "installer-fails");
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  assert.equal(await runInstaller(node, { image, upgrade: true, say }), 1);
  assert.equal(node.disk.bootEntries?.chosen, "Talos-v1.12.11.efi");
  assert.deepEqual(lines.slice(1, 4), [
    "Usage:",
    "  installer install [flags]",
    "",
  ]);
});

Deno.test("an installer is a process while it runs, and ends with the power", async () => {
  let processes: readonly string[] = [];
  const clock = {
    ...stopped,
    sleep() {
      processes = processesOf(node).map(({ args }) => args);
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
