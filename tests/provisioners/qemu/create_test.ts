import assert from "node:assert/strict";
import { chooseAccelerator } from "../../../provisioners/qemu/accelerator.ts";
import { findFirmware } from "../../../provisioners/qemu/firmware.ts";
import { processorsFor } from "../../../provisioners/qemu/new_cluster.ts";
import { giveToUser } from "../../../provisioners/qemu/cluster.ts";
import { preflight, thisHost } from "../../../provisioners/qemu/preflight.ts";
import type { QemuSpec } from "../../../provisioners/qemu/spec.ts";
import { withFolder } from "../../_folder.ts";
import { needs, queues, root } from "../../_needs.ts";
import { spec } from "./_spec.ts";

const able = {
  os: "linux",
  hasProgram: () => Promise.resolve(true),
  hasQueue: () => Promise.resolve(true),
  hasWireguard: () => Promise.resolve(true),
  capabilities: () => Promise.resolve(0x1ffn << 10n),
  addresses: () => [],
  canRead: () => Promise.resolve(true),
  findFirmware: () => Promise.resolve(),
  chooseAccelerator: () => Promise.resolve(),
} as const;

async function problemsOn(
  change: Partial<typeof thisHost>,
  wanted: Partial<QemuSpec> = {},
): Promise<string> {
  try {
    await preflight({ ...spec, ...wanted }, { ...able, ...change });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
}

Deno.test("preflight reports everything that is missing at once, each with its remedy", async () => {
  assert.equal(await problemsOn({}), "");
  assert.equal(
    await problemsOn({
      hasProgram: (name) => Promise.resolve(name === "ip"),
      capabilities: () => Promise.resolve(0n),
      addresses: () => [["lo", "127.0.0.1/8"], ["eth0", "10.5.0.9/16"]],
      canRead: (path) => Promise.resolve(path === "/vmlinuz"),
      findFirmware: () => findFirmware("amd64", [], []),
    }, {
      hasUefi: true,
      hardware: { ...spec.hardware, tpm: "2.0" },
      injection: "metal-iso",
      diskImage: "/os.zst",
      imageCache: {
        folder: "/cache",
        port: 5000,
        certFile: "/c",
        keyFile: "/k",
      },
    }),
    `Cannot create the cluster:
- qemu-system-x86_64 is not installed; install the package qemu-system-x86 (Debian, Ubuntu)
- nft is not installed; install the package nftables (Debian, Ubuntu)
- swtpm is not installed; install the package swtpm (Debian, Ubuntu)
- genisoimage is not installed; install the package genisoimage (Debian, Ubuntu)
- zstd is not installed; install the package zstd (Debian, Ubuntu)
- fallocate is not installed; install the package util-linux (Debian, Ubuntu)
- cannot find UEFI firmware for amd64; install ovmf (Debian, Ubuntu) or edk2-ovmf (Fedora, Arch), or use: osctl cluster create with --extra-uefi-search-paths or --with-uefi=false
- it needs CAP_NET_ADMIN for a bridge and network interfaces for the VMs and CAP_NET_BIND_SERVICE for DHCP and DNS on ports 53, 67 and 547; run it with sudo
- "/initrd" and "/os.zst" cannot be read; name files that exist, or use "cluster create qemu", which downloads an image, or "cluster create embedded", which needs none
- "/cache" is not a flat image cache; create it with "image cache-create --layout flat"
- "/c" cannot be read; create it with "image cache-cert-gen"
- "/k" cannot be read; create it with "image cache-cert-gen"
- subnet 10.5.0.0/24 overlaps with 10.5.0.9/16 of interface eth0; use --cidr 10.6.0.0/24`,
  );
});

Deno.test("preflight tries KVM where it is requested, and no files that are downloaded later", async () => {
  const host = {
    chooseAccelerator: () =>
      chooseAccelerator("kvm", { architecture: "amd64", device: "/none" }),
    canRead: () => Promise.resolve(false),
  };
  const download = () => Promise.resolve();
  assert.equal(await problemsOn(host, { accelerator: "tcg", download }), "");
  assert.match(
    await problemsOn(host, { accelerator: "kvm", download }),
    /^Cannot create the cluster: KVM does not work on this machine: .*; use --accel auto for software emulation, which is much slower$/,
  );
});

Deno.test(
  "preflight asks the kernel for the queues of --with-network-chaos",
  needs("ip", queues),
  async () => {
    const none = { latencyMs: 0, jitterMs: 0, loss: 0, reorder: 0, corrupt: 0 };
    const chaos = { ...none, latencyMs: 20, bandwidth: 0 };
    const asked: string[] = [];
    const host = {
      hasQueue(wanted: readonly string[]) {
        asked.push(wanted.join(" "));
        return Promise.resolve(false);
      },
    };
    assert.equal(
      await problemsOn(host, { network: { ...spec.network, chaos } }),
      'Cannot create the cluster: the kernel cannot disturb the network as --with-network-chaos wants; load its module with "modprobe sch_netem", or use a kernel that has it',
    );
    assert.deepEqual(asked, ["netem delay 20ms"]);
    assert.equal(
      await thisHost.hasQueue([
        "tbf",
        ..."rate 1mbit burst 16kb latency 50ms".split(" "),
      ]),
      true,
    );
    assert.equal(await thisHost.hasQueue(["none"]), false);
  },
);

Deno.test("preflight asks for root only for what needs it, and only where there are such networks", async () => {
  assert.equal(
    await problemsOn({ capabilities: () => Promise.resolve(1n << 12n) }),
    "Cannot create the cluster: it needs CAP_NET_BIND_SERVICE for DHCP and DNS on ports 53, 67 and 547; run it with sudo",
  );
  assert.equal(
    await problemsOn({ os: "darwin" }),
    'Cannot create the cluster: networks for VMs can only be created on Linux, and this is darwin; use "cluster create docker" or "cluster create embedded"',
  );
  // Programs and devices of this machine can be read without privileges.
  assert.equal(typeof await thisHost.capabilities(), "bigint");
  assert.ok(thisHost.addresses().length > 0);
});

Deno.test(
  "giveToUser gives the folder of a cluster to the user who ran sudo",
  needs(root),
  async () => {
    await withFolder({ "lab/a/b": "", "other/c": "" }, async (state) => {
      const place = { state, name: "lab" };
      await Deno.symlink("/etc/hostname", `${state}/lab/link`);
      await giveToUser(place, { uid: 1234, gid: 1235 });
      const owner = async (path: string) => {
        const { uid, gid } = await Deno.stat(`${state}/${path}`);
        return [uid, gid];
      };
      assert.deepEqual(await owner("."), [1234, 1235]);
      assert.deepEqual(await owner("lab/a/b"), [1234, 1235]);
      assert.deepEqual(await owner("other/c"), [0, 0]);
      assert.equal((await Deno.stat("/etc/hostname")).uid, 0);
      await giveToUser(place, undefined);
      assert.deepEqual(await owner("lab"), [1234, 1235]);
    });
  },
);

Deno.test("processorsFor rounds to whole processors, halves to even ones", () => {
  const counts = [0.1, 1, 1.5, 2, 2.5, 3.5, 7].map((one) =>
    processorsFor(one * 1e9)
  );
  assert.deepEqual(counts, [1, 1, 2, 2, 2, 4, 7]);
});
