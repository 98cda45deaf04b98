/**
 * Virtual machines with the kernel of Debian, which play nodes: created, bootstrapped, switched and destroyed by the
 * built executable, in a network namespace. Software emulation is slow, so that it is not part of the test suite:
 * `deno test -A tests/e2e/virtual_machines.ts`, after `deno task build`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { withFolder } from "../_folder.ts";
import { nodeImage } from "../_node_image.ts";
import { bundleStandIn } from "../_stand_in/image.ts";
import { untilNone } from "../_processes.ts";
import {
  advertise,
  bootMachine,
  bootSector,
  efiProgram,
} from "../provisioners/qemu/_boot.ts";
import { machine } from "../provisioners/qemu/_cluster.ts";
import {
  copyFirmware,
  findFirmware,
} from "../../provisioners/qemu/firmware.ts";

/** The executable. */
const osctl = new URL("../../dist/osctl", import.meta.url).pathname;

/** The life of a cluster, in a network namespace; $1 is the folder, $2 the executable. */
const life = `set -u
cd "$1"; ip link set lo up; export HOME=$PWD/home NO_COLOR=1 OSCONFIG=$PWD/osconfig
osctl() { timeout 900 "$osctl" "$@"; }
osctl=$2
where="--state $PWD/state --name lab"
osctl cluster create $where --cidr 10.77.0.0/24 --mtu 1400 --accel tcg --vmlinuz-path vmlinuz --initrd-path initramfs \\
  --disk 8 --with-uefi=false --with-tpm2 --cpus 1 --cpus-workers 1 --memory 1500 --memory-workers 1500 --wait=false \\
  --wait-timeout 850s --config-patch '{"cluster":{"controlPlane":{"endpoint":"https://10.77.0.2:6443"}}}' 2>created >out
grep -o 'waiting for the node API: [0-9.]*\\|bootstrapping etcd:' created
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
  // Only if it takes long enough to be said.
  return text(stdout).replaceAll(/^waiting for Kubernetes at .*\n/gm, "");
}

/**
 * A cluster from an image factory, which serves what a machine with UEFI loads over the network: the script of a
 * schematic, and the kernel and the first file system that it names; $1 is the folder, $2 the executable.
 */
const factory = `set -u
cd "$1"; ip link set lo up; ip addr add 198.51.100.1/32 dev lo
export HOME=$PWD/home NO_COLOR=1 OSCONFIG=$PWD/osconfig KUBECONFIG=$PWD/kubeconfig
osctl() { timeout 1300 "$osctl" "$@"; }
osctl=$2
where="--state $PWD/state --name lab"; url=http://198.51.100.1:8080; of=trial/v1.12.11
mkdir -p factory/pxe/$of factory/image/$of
ln vmlinuz factory/image/$of/kernel-amd64; ln initramfs factory/image/$of/initramfs-amd64.xz
cat >factory/pxe/$of/metal-amd64 <<END
#!ipxe
kernel $url/image/$of/kernel-amd64 console=ttyS0,115200n8 reboot=k panic=1 initrd=initramfs-amd64.xz
initrd $url/image/$of/initramfs-amd64.xz
boot
END
busybox httpd -p 198.51.100.1:8080 -h factory -f -vv 2>requests & http=$!
${advertise}
(until router=$(ip -br link | grep -o '^osbr[0-9a-f]*'); do sleep 0.1; done; advertise "$router") & radvd=$!
osctl cluster create qemu $where --image-factory-url $url/ --schematic-id trial --os-version v1.12.11 --presets pxe \\
  --cidr 10.77.0.0/24 --accel tcg --workers 0 --disks virtio:8MB --cpus-controlplanes 1 --memory-controlplanes 1500MiB \\
  --wait-timeout 1200s --config-patch '{"cluster":{"controlPlane":{"endpoint":"https://10.77.0.2:6443"}}}' 2>created >out
sed '/, [0-9ms]*s\\( (timeout [^)]*)\\)*$/d; s/: [0-9.]* s$/: T/' created; tail -1 out
osctl cluster show $where | grep ^STATE
osctl etcd members -n 10.77.0.2 | awk '{ print $3 }'
grep -o 'url:.*' requests
osctl cluster destroy $where; kill $http $radvd
echo "links: $(ip -br link | grep -vc '^lo '), rules: $(nft list ruleset | wc -l), files: $(ls state | wc -l)"`;

Deno.test("virtual machines are a cluster", async (t) => {
  await withFolder({}, async (folder) => {
    await bundleStandIn(`${folder}/stand_in.js`);
    await bash(nodeImage, [folder, Deno.execPath()], false);
    await t.step(
      "two boot, are given addresses and configurations, see their TPMs, are bootstrapped, switched and destroyed",
      async () => {
        const said = await bash(life, [folder, osctl], true);
        assert.equal(
          said.replaceAll("\r", "").replace(/(node API: )[\d.]+/, "$1TIME"),
          `waiting for the node API: TIME
bootstrapping etcd:
node: 10.77.0.2 lab-controlplane-1 1400
node: 10.77.0.3 lab-worker-1 1400
node: TPM 2, measured
node: TPM 2, measured
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
        await untilNone(`${folder}/state`);
      },
    );
    await t.step(
      "one boots what an image factory has for a schematic, is configured in maintenance, and healthy",
      async () => {
        const said = await bash(factory, [folder, osctl], true);
        assert.equal(
          said.replaceAll(folder, "FOLDER")
            .replaceAll(/osbr[0-9a-f]{8}/g, "BRIDGE"),
          `creating network BRIDGE: T
creating disks: T
starting nodes: T
lab-controlplane-1: started, 10.77.0.2
lab-controlplane-1: configured
applying configurations: T
waiting for the node API: T
bootstrapping etcd: T
waiting for healthy nodes: T
merging kubeconfig into FOLDER/kubeconfig: T
hint: Check it with: osctl health
hint: Destroy it with: osctl cluster destroy --name lab
Cluster "lab" is ready: 1 node; context "lab" in FOLDER/osconfig
STATE                 running
HOSTNAME
lab-controlplane-1
url:/pxe/trial/v1.12.11/metal-amd64
url:/image/trial/v1.12.11/kernel-amd64
url:/image/trial/v1.12.11/initramfs-amd64.xz
Cluster "lab" is destroyed; no context is left
links: 0, rules: 0, files: 0
`,
        );
        await untilNone(`${folder}/state`);
      },
    );
  });
});

/**
 * A creation that is killed whenever its machine runs, and repeated; $1 is the folder, $2 the executable. $3 is the
 * runtime. The machine only boots: a process beside it plays the node under its address.
 */
const kills = `set -u
cd "$1"; ip link set lo up; export HOME=$PWD/home NO_COLOR=1 OSCONFIG=$PWD/osconfig KUBECONFIG=$PWD/kubeconfig
osctl() { timeout 400 "$osctl" "$@"; }
osctl=$2
where="--state $PWD/state --name lab"
create=(cluster create $where --cidr 10.77.0.0/24 --accel tcg --disk-image-path boot.img --with-uefi=false --disk 8
  --workers 0 --cpus 1 --memory 64 --wait-timeout 380s
  --config-patch '{"cluster":{"controlPlane":{"endpoint":"https://10.77.0.2:6443"}}}')
killed() { # creation that is killed as soon as it has said something
  coproc "$osctl" "\${create[@]}" 2>&1; pid=$COPROC_PID
  while read -r line; do case $line in "$1"*) echo "said \${1%: }"; break ;; esac; done <&"\${COPROC[0]}"
  kill -9 $pid; wait $pid 2>/dev/null
  osctl cluster show $where | grep -o 'unfinished.*'
}
killed "lab-controlplane-1: started"
unshare -nu bash -c 'hostname lab-controlplane-1; ip link set lo up
  until ip link set eth0 up 2>/dev/null; do sleep 0.02; done; ip addr add 10.77.0.2/24 dev eth0
  until curl -sfo configuration "http://10.77.0.1:$1/config.yaml"; do sleep 0.1; done
  USERDATA=$(base64 -w0 configuration) exec "$2" run -A stand_in.js "$PWD/node"' \\
  bash $(sed 's/.*"serverPort":\\([0-9]*\\).*/\\1/' state/lab/qemu.json) "$3" >/dev/null 2>&1 & node=$!
until [ "$(readlink /proc/$node/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
ip link add node0 type veth peer name eth0 netns $node
ip link set node0 master $(ip -br link | grep -o '^osbr[0-9a-f]*') up
killed "waiting for the node API: "
killed "bootstrapping etcd: "
# The last phase waits for a file that another process changes.
echo "apiVersion: v1" >kubeconfig; exec 9>kubeconfig.lock; flock 9
killed "waiting for healthy nodes: "
exec 9>&-
osctl "\${create[@]}" 2>created >out; sed '/^waiting for.*, [0-9]*s\\( (timeout [^)]*)\\)*$/d; s/: [0-9.]* s$/: T/' created; tail -1 out
osctl cluster show $where | grep ^STATE
osctl etcd members -n 10.77.0.2 | awk '{ print $3 }'; grep -c 'name: admin@lab' kubeconfig
osctl cluster destroy $where; ip link delete node0; kill $node; wait $node 2>/dev/null
for phase in "creating network" "creating disks" "starting nodes: "; do killed "$phase" >/dev/null; osctl cluster destroy $where; done
echo "links: $(ip -br link | grep -vc '^lo '), rules: $(nft list ruleset | wc -l), files: $(ls state | wc -l)"`;

Deno.test("a creation that is killed is continued by the same command in every phase after its machine has started, and destroyed before", async () => {
  await withFolder({ "home/": "" }, async (folder) => {
    await Deno.writeFile(`${folder}/boot.img`, bootSector());
    await bundleStandIn(`${folder}/stand_in.js`);
    const said = await bash(kills, [folder, osctl, Deno.execPath()], true);
    assert.equal(
      said.replaceAll(folder, "FOLDER"),
      `said lab-controlplane-1: started
unfinished (waiting for the nodes)
said waiting for the node API
unfinished (waiting for the nodes)
said bootstrapping etcd
unfinished (waiting for the nodes)
said waiting for healthy nodes
unfinished (waiting for the nodes)
starting nodes: T
lab-controlplane-1: started, 10.77.0.2
waiting for the node API: T
bootstrapping etcd: T
waiting for healthy nodes: T
merging kubeconfig into FOLDER/kubeconfig: T
hint: Check it with: osctl health
hint: Destroy it with: osctl cluster destroy --name lab
Cluster "lab" is ready: 1 node; context "lab" in FOLDER/osconfig
STATE                 running
HOSTNAME
lab-controlplane-1
2
Cluster "lab" is destroyed; no context is left
Cluster "lab" is destroyed
Cluster "lab" is destroyed
Cluster "lab" is destroyed
links: 0, rules: 0, files: 0
`,
    );
    await untilNone(folder);
  });
});

/**
 * A cluster whose node is configured through the tunnel of its agent; $1 is the folder, $2 the executable, $3 the
 * runtime, $4 a script that joins. As above, a process beside the machine plays the node.
 */
const tunnel = `set -u
cd "$1"; ip link set lo up; export DENO_DIR=\${DENO_DIR:-$HOME/.cache/deno} HOME=$PWD/home NO_COLOR=1 OSCONFIG=$PWD/osconfig KUBECONFIG=$PWD/kubeconfig
osctl() { timeout 700 "$osctl" "$@"; }
osctl=$2
where="--state $PWD/state --name lab"
osctl cluster create $where --cidr 10.77.0.0/24 --accel tcg --disk-image-path boot.img --with-uefi=false --disk 8 \\
  --workers 0 --cpus 1 --memory 64 --wait-timeout 650s --with-oslink=$5 --skip-injecting-config --with-apply-config \\
  --config-patch '{"cluster":{"controlPlane":{"endpoint":"https://10.77.0.2:6443"}}}' 2>created >out & create=$!
until grep -q "controlplane-1: started" created; do sleep 0.05; done
joining=$("$3" eval 'const { agent, machines: [{ uuid }] } = JSON.parse(Deno.readTextFileSync("state/lab/qemu.json"));
  const { host, ports: { api: port }, isTunnel: byGrpc, certificate } = agent; const [program, folder] = Deno.args;
  console.log(JSON.stringify({ host, port, uuid, byGrpc, ca: certificate?.crt, token: "foo",
    plays: [Deno.execPath(), "run", "-A", program, folder] }))' "$PWD/stand_in.js" "$PWD/node")
unshare -numpf --kill-child --mount-proc bash -c 'hostname lab-controlplane-1; ip link set lo up
  mkdir -p /run/wireguard; mount -t tmpfs none /run/wireguard
  nft "table inet seen { chain input { type filter hook input priority 0; iifname wgn tcp dport 50000 counter; }; }"
  until ip link set eth0 up 2>/dev/null; do sleep 0.02; done; ip addr add 10.77.0.2/24 dev eth0
  exec "$1" run -A --no-check --quiet "$2" "$3"' bash "$3" "$4" "$joining" >node.log 2>&1 & node=$!
until [ "$(readlink /proc/$node/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
ip link add node0 type veth peer name eth0 netns $node
ip link set node0 master $(ip -br link | grep -o '^osbr[0-9a-f]*') up
wait $create
sed '/, [0-9ms]*s\\( (timeout [^)]*)\\)*$/d; s/: [0-9.]* s$/: T/' created; tail -1 out
grep -o 'joins as.*' state/lab/serve.log | sed 's/ fd[0-9a-f:]*/ ADDRESS/'
nsenter --net=/proc/$node/ns/net nft list table inet seen | grep -o 'counter packets [1-9]' | sed 's/ [1-9]$//'
osctl cluster destroy $where; ip link delete node0; kill -9 $node; wait $node 2>/dev/null
echo "links: $(ip -br link | grep -vc '^lo '), rules: $(nft list ruleset | wc -l), files: $(ls state | wc -l)"`;

Deno.test("configurations are applied to nodes through the tunnel of their agent", async () => {
  const script = new URL(
    "../provisioners/qemu/agent/_node.ts",
    import.meta.url,
  );
  for (const kind of ["wireguard", "grpc-tunnel+tls"]) {
    await withFolder({ "home/": "" }, async (folder) => {
      await Deno.writeFile(`${folder}/boot.img`, bootSector());
      await bundleStandIn(`${folder}/stand_in.js`);
      const said = await bash(tunnel, [
        folder,
        osctl,
        Deno.execPath(),
        script.pathname,
        kind,
      ], true);
      assert.equal(
        said.replaceAll(folder, "FOLDER").replace(/osbr[0-9a-f]{8}/, "BRIDGE"),
        `creating network BRIDGE: T
creating disks: T
starting nodes: T
lab-controlplane-1: started, 10.77.0.2
lab-controlplane-1: configured
applying configurations: T
waiting for the node API: T
bootstrapping etcd: T
waiting for healthy nodes: T
merging kubeconfig into FOLDER/kubeconfig: T
hint: Check it with: osctl health
hint: Destroy it with: osctl cluster destroy --name lab
Cluster "lab" is ready: 1 node; context "lab" in FOLDER/osconfig
joins as ADDRESS${kind === "wireguard" ? "" : " by gRPC"}
counter packets
Cluster "lab" is destroyed; no context is left
links: 0, rules: 0, files: 0
`,
      );
      await untilNone(folder);
    });
  }
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
      bootMachine(
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
