/**
 * Two virtual machines with the kernel of Debian, which play nodes: created, bootstrapped, switched and destroyed by the
 * built executable, in a network namespace. Software emulation is slow, so that it is not part of the test suite:
 * `deno test -A tests/e2e/virtual_machines.ts`, after `deno task build`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { processesOf } from "../_processes.ts";

/** Makes `vmlinuz` and `initramfs` in the folder $1 out of the executable $2. */
const image = `set -euo pipefail
cd "$1"
package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ { print $2; exit }')
apt-get download -qq "$package" 2>/dev/null; dpkg-deb -x linux-image*.deb kernel
cp kernel/boot/vmlinuz-* vmlinuz
mkdir -p root/bin root/lib root/lib64 root/proc root/sys root/dev root/tmp root/etc root/root root/modules
mkdir home; TMPDIR=$PWD/home HOME=$PWD/home XDG_CACHE_HOME=$PWD/home "$2" version --client >/dev/null
cp -r "$(dirname "$(find home -name .whole)")" root/osctl
cp "$(command -v busybox)" root/bin/busybox
for name in sh mount mkdir insmod ip udhcpc wget sed base64 tr halt hostname; do ln -s busybox "root/bin/$name"; done
for file in root/bin/busybox root/osctl/deno; do
  { ldd "$file" || true; } | grep -o '/lib[^ ]*' | while read -r library; do
    mkdir -p "root$(dirname "$library")"; cp -nL "$library" "root$library"
  done
done
for name in virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci failover net_failover virtio_net; do
  find kernel -name "$name.ko" -exec cp {} root/modules/ \\;
done
cat >root/dhcp <<'END'
#!/bin/sh
[ "$1" = bound ] || exit 0
ip addr replace "$ip/$mask" dev "$interface"; ip link set "$interface" mtu "$mtu"
ip route replace default via "$router"; hostname "$hostname"
echo "node: $ip $hostname $mtu"
END
cat >root/init <<'END'
#!/bin/sh
export PATH=/bin HOME=/root DENO_DIR=/osctl/cache DENO_NO_UPDATE_CHECK=1
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mkdir -p /dev/shm; mount -t tmpfs shm /dev/shm; mount -t tmpfs tmp /tmp
for name in virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci failover net_failover virtio_net; do insmod /modules/$name.ko; done
ip link set lo up; ip link set eth0 up
udhcpc -i eth0 -q -n -t 20 -T 1 -O mtu -O hostname -s /dhcp
wget -q -O /tmp/configuration "$(sed 's/.*talos.config=\\([^ ]*\\).*/\\1/' /proc/cmdline)" && echo "node: configuration"
USERDATA=$(base64 /tmp/configuration | tr -d '\\n') /osctl/deno run --allow-all /osctl/mod.js cluster stand-in
halt -f
END
chmod +x root/init root/dhcp
(cd root && find . | cpio -o -H newc --quiet | gzip -1 >../initramfs)`;

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
    await bash(image, [folder, osctl], false);
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
