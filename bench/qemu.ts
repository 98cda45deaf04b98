/** A cluster of one virtual machine in software emulation, beside the time that its kernel takes by itself. */

import { nodeImage } from "../tests/_node_image.ts";
import { bundleStandIn } from "../tests/_stand_in/image.ts";
import { command } from "../tests/provisioners/qemu/_command.ts";
import type { Ignored, Measurement } from "../tools/bench.ts";
import { executable } from "./_bench.ts";

/** Prints the time that the kernel takes, and that until the node API answers, in milliseconds. */
const life = `set -euo pipefail
cd "$1"; ip link set lo up; export HOME=$PWD/home NO_COLOR=1 OSCONFIG=$PWD/osconfig
now() { echo $(($(date +%s%N) / 1000000)); }
start=$(now); qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu max -m 1500 -display none -no-reboot \\
  -kernel vmlinuz -initrd initramfs -append "console=ttyS0,115200n8 reboot=k panic=1 bare" -serial file:bare >/dev/null 2>&1
took=$(($(now) - start)); grep -q "node: bare" bare; echo $took
where="--state $PWD/state --name bench"
start=$(now); "$2" cluster create $where --cidr 10.77.0.0/24 --accel tcg --vmlinuz-path vmlinuz --initrd-path initramfs \\
  --disk 8 --with-uefi=false --workers 0 --cpus 1 --memory 1500 --wait=false --wait-timeout 280s \\
  --config-patch '{"cluster":{"controlPlane":{"endpoint":"https://10.77.0.2:6443"}}}' >/dev/null 2>&1
echo $(($(now) - start)); "$2" cluster destroy $where >/dev/null 2>&1`;

/** Measures both. */
export async function run(): Promise<readonly (Measurement | Ignored)[]> {
  const name = "cluster create qemu, until the node API answers";
  const folder = await Deno.makeTempDir();
  try {
    const program = await executable(folder);
    await bundleStandIn(`${folder}/stand_in.js`);
    const made = await command([
      "bash",
      "-c",
      nodeImage,
      "bash",
      folder,
      Deno.execPath(),
    ]);
    if (made.code !== 0) {
      return [{ name, ignored: "there is no kernel to boot" }];
    }
    const { out, code } = await command([
      ...["unshare", "-n", "bash", "-c", life, "bash", folder, program],
    ]);
    const [bare = NaN, cluster = NaN] = out.trim().split("\n").map(Number);
    if (code !== 0) return [{ name, ignored: "the VM did not answer in time" }];
    return [
      { name, value: cluster / 1000, unit: "s" },
      {
        name: "its bare kernel, until its first program",
        value: bare / 1000,
        unit: "s",
      },
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
