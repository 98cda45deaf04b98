import assert from "node:assert/strict";
import {
  chainName,
  cniConfiguration,
  missingPlugins,
} from "../../../provisioners/qemu/cni.ts";
import type {
  BridgeNetwork,
  CniSettings,
} from "../../../provisioners/qemu/bridge_network.ts";
import { withFolder } from "../../_folder.ts";
import { needs, networkNeeds, plugins } from "../../_needs.ts";
import { cluster } from "./_cluster.ts";
import { command } from "./_command.ts";
import { writePlugins } from "./_plugins.ts";

const network: BridgeNetwork = {
  ...cluster.network,
  bridge: "osbr2",
  mac: "02:00:00:00:00:09",
  noMasquerade: ["192.0.2.0/24"],
  taps: ["ot2-1", "ot2-2"],
  chaos: {
    latencyMs: 0,
    jitterMs: 0,
    loss: 0,
    reorder: 0,
    corrupt: 0,
    bandwidth: 1000,
  },
  machines: [
    { mac: "02:00:00:00:00:0a", ips: ["10.5.0.2", "fd74:616c:a05:0::2"] },
    { mac: "02:00:00:00:00:0b", ips: ["10.5.0.3", "fd74:616c:a05:0::3"] },
  ],
};

const settings = (folder: string): CniSettings => ({
  name: "lab",
  binPaths: [`${folder}/empty`, `${folder}/bin`],
  cacheDir: `${folder}/cache`,
  confDir: `${folder}/conf.d`,
});

/** Makes the network in a namespace of its own, and removes it. Returns what was there, and what was left. */
async function life(
  cni: CniSettings,
  change: Partial<BridgeNetwork> = {},
): Promise<readonly [string, string, string]> {
  const script = new URL("_network.ts", import.meta.url).pathname;
  const { out, err } = await command([
    ...["unshare", "-nm", Deno.execPath(), "run", "-A", "--no-check"],
    ...["--quiet", script, JSON.stringify({ ...network, ...change, cni })],
  ]);
  const [made = "", left = ""] = out.split(/(?<=# forwarding\n.*\n)\n/);
  return [made, left, err];
}

Deno.test(
  "plugins attach each machine in a namespace of its own, and leave nothing of it",
  needs(...networkNeeds, plugins),
  async () => {
    await withFolder({}, async (folder) => {
      await writePlugins(`${folder}/bin`);
      const [made, left, err] = await life(settings(folder));
      assert.match(made, /^# machine tap0 02:00:00:00:00:0a$/m, err);
      assert.match(made, /^# machine tap0 02:00:00:00:00:0b$/m);
      assert.match(made, /: veth0@.* mtu 1400 .*link\/ether 02:00:00:00:00:0a/);
      assert.match(made, /: tap0: .* mtu 1400 /);
      assert.match(made, /: veth\w+@if\d+: .*master osbr2/);
      assert.match(
        made,
        /^osbr2 +\S+ +10\.5\.0\.1\/24 fd74:616c:a05::1\/64/m,
      );
      // Each attachment has a chain, with what is not to be masqueraded first.
      const chain = chainName("lab", "ot2-1");
      const rules = made.split("\n").filter((line) =>
        line.startsWith(`-A ${chain} `)
      );
      assert.deepEqual(
        rules.map((line) =>
          line.replace(/ -m comment --comment ".*"/, "").replace(
            `-A ${chain} `,
            "",
          )
        ),
        [
          "-d 192.0.2.0/24 -j ACCEPT",
          "-d 255.255.255.255/32 -j ACCEPT",
          "-d 10.5.0.0/24 -j ACCEPT",
          "! -d 224.0.0.0/4 -j MASQUERADE",
        ],
      );
      assert.match(made, /qdisc tbf .* dev tap0 .*rate 1Mbit/);
      assert.doesNotMatch(
        left.replaceAll(/(Cannot find|Device) .*/g, ""),
        /osbr2|ot2|CNI-|veth/,
      );
      assert.match(left, /ip_forward = 0/);
      const files = await command(["find", folder, "-type", "f"]);
      assert.doesNotMatch(files.out, /cache|conf\.d/);
    });
  },
);

Deno.test(
  "plugins of an air-gapped network hide no addresses, and a plugin that fails says why",
  needs(...networkNeeds, plugins),
  async () => {
    await withFolder({}, async (folder) => {
      await writePlugins(`${folder}/bin`);
      const [made] = await life(settings(folder), { isAirgapped: true });
      assert.match(made, /^# machine tap0/m);
      assert.doesNotMatch(made, /-j MASQUERADE/);
      assert.match(made, /iifname "osbr2" oifname != "osbr2" drop/);
      await Deno.writeTextFile(
        `${folder}/bin/firewall`,
        `#!/bin/sh\necho '{"code": 7, "msg": "no such zone"}'; exit 1\n`,
        { mode: 0o755 },
      );
      const [, , err] = await life(settings(folder));
      assert.match(err, /Command failed: \S+\/bin\/firewall: .*no such zone/);
    });
  },
);

Deno.test("cniConfiguration is that of talosctl", () => {
  assert.deepEqual(cniConfiguration(settings("/x"), network), {
    cniVersion: "0.4.0",
    name: "lab",
    plugins: [
      {
        type: "bridge",
        bridge: "osbr2",
        ipMasq: true,
        isGateway: true,
        isDefaultGateway: true,
        ipam: { type: "static" },
        mtu: 1400,
      },
      { type: "firewall" },
      { type: "tc-redirect-tap" },
    ],
  });
});

Deno.test("missingPlugins names those that are in none of the folders", async () => {
  await withFolder({ "a/bridge": "", "b/static": "" }, async (folder) => {
    assert.deepEqual(
      await missingPlugins([`${folder}/a`, `${folder}/b`]),
      ["firewall", "tc-redirect-tap"],
    );
  });
});
