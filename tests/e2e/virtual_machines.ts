/**
 * Two virtual machines with the kernel of Debian, which play nodes: created, bootstrapped, switched and destroyed by the
 * built executable, in a network namespace. Software emulation is slow, so that it is not part of the test suite:
 * `deno test -A tests/e2e/virtual_machines.ts`, after `deno task build`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { nodeImage } from "../_node_image.ts";
import { processesOf } from "../_processes.ts";
import { booted, efiProgram } from "../provisioners/qemu/_boot.ts";
import { machine } from "../provisioners/qemu/_cluster.ts";
import {
  copyFirmware,
  findFirmware,
} from "../../provisioners/qemu/firmware.ts";

/** The life of a cluster, in a network namespace; $1 is the folder, $2 the executable. */
const life = `set -u
cd "$1"; ip link set lo up; export HOME=$PWD/home NO_COLOR=1 OSCONFIG=$PWD/osconfig
osctl() { timeout 300 "$osctl" "$@"; }
osctl=$2
where="--state $PWD/state --name lab"
osctl cluster create $where --cidr 10.77.0.0/24 --mtu 1400 --accel tcg --vmlinuz-path vmlinuz --initrd-path initramfs \\
  --disk 8 --with-uefi=false --cpus 1 --cpus-workers 1 --memory 1500 --memory-workers 1500 --wait=false \\
  --wait-timeout 280s --config-patch '{"cluster":{"controlPlane":{"endpoint":"https://10.77.0.2:6443"}}}' 2>created >out
grep -o 'waiting for the node API: [0-9.]*\\|bootstrapping etcd' created
until osctl version -n 10.77.0.3 >/dev/null 2>&1; do sleep 1; done
grep -aoh 'node: .*' state/lab/lab-*.log | sort
osctl etcd members -n 10.77.0.2 | awk '{ print $3 }'
osctl reboot -n 10.77.0.3 --yes 2>/dev/null | tail -1
osctl cluster node power cycle lab-worker-1 $where
until [ "$(grep -ac 'node: configuration' state/lab/lab-worker-1.log)" = 2 ]; do sleep 0.5; done
until osctl version -n 10.77.0.3 >/dev/null 2>&1; do sleep 1; done
osctl cluster node power off lab-worker-1 $where
osctl cluster show $where | awk '/^lab-/ { print $1, $4 }'
osctl cluster destroy $where
echo "links: $(ip -br link | grep -vc '^lo '), rules: $(nft list ruleset | wc -l), files: $(ls state | wc -l)"`;

async function bash(
  script: string,
  args: readonly string[],
  isolated: boolean,
): Promise<string> {
  const line = ["bash", "-c", script, "bash", ...args];
  const { stdout, stderr, success } = await new Deno.Command(
    isolated ? "unshare" : "env",
    {
      args: isolated ? ["-n", ...line] : line,
      stdout: "piped",
      stderr: "piped",
    },
  ).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  assert.ok(success, text(stderr));
  return text(stdout);
}

Deno.test("two virtual machines boot, are given addresses and configurations, bootstrapped, switched and destroyed", async () => {
  const osctl = new URL("../../dist/osctl", import.meta.url).pathname;
  await withFolder({}, async (folder) => {
    await bash(nodeImage, [folder, osctl], false);
    const said = await bash(life, [folder, osctl], true);
    assert.equal(
      said.replaceAll("\r", "").replace(/(node API: )[\d.]+/, "$1TIME"),
      `waiting for the node API: TIME
bootstrapping etcd
node: 10.77.0.2 lab-controlplane-1 1400
node: 10.77.0.3 lab-worker-1 1400
node: configuration
node: configuration
HOSTNAME
lab-controlplane-1
10.77.0.3   done      ready, v1.12.11
lab-worker-1 is switched off and on again
lab-worker-1 is switched off
lab-controlplane-1 on
lab-worker-1 off
Cluster "lab" is destroyed; no context is left
links: 0, rules: 0, files: 0
`,
    );
    assert.deepEqual(await processesOf(`${folder}/state`), []);
  });
});

/** Makes firmware with a key, and signs the program with it; $1 is the folder. */
const signing = `set -euo pipefail
cd "$1"; mkdir firmware
cp /usr/share/OVMF/OVMF_CODE_4M.secboot.fd firmware/
cp /usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd firmware/OVMF_VARS_4M.fd
openssl rsa -in /usr/share/ovmf/PkKek-1-snakeoil.key -passin pass:snakeoil -out key.pem 2>/dev/null
sbsign --key key.pem --cert /usr/share/ovmf/PkKek-1-snakeoil.pem --output signed.efi other.efi`;

Deno.test("a machine with secure boot boots a unified kernel image that is signed, and no other", async () => {
  await withFolder({}, async (folder) => {
    await Deno.writeFile(`${folder}/other.efi`, efiProgram());
    await bash(signing, [folder], false);
    const found = await findFirmware("amd64", [`${folder}/firmware`]);
    assert.equal(found.isSecureBoot, true);
    const firmware = await copyFirmware(found, `${folder}/node`, "amd64");
    const boots = (name: string, seconds: number) =>
      booted(
        {
          ...machine,
          ...{ folder, firmware, isSecureBoot: true, memory: 128, disks: [] },
          boot: { kind: "uki", path: `${folder}/${name}.efi` },
        },
        "hello",
        { seconds },
      );
    const start = performance.now();
    assert.equal(await boots("signed", 280), "hello\n");
    const took = (performance.now() - start) / 1000;
    assert.doesNotMatch(await boots("other", Math.ceil(took * 2)), /hello/);
  });
});
