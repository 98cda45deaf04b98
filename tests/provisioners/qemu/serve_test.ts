import assert from "node:assert/strict";
import {
  configurationUrl,
  listEndpoints,
} from "../../../provisioners/qemu/serve.ts";
import { withFolder } from "../../_folder.ts";
import { needs, networkNeeds, plugins, taps } from "../../_needs.ts";
import { withoutWaits } from "../../_wait_notices.ts";
import { untilNone } from "../../_processes.ts";
import { advertise, bootSector } from "./_boot.ts";
import { cluster } from "./_cluster.ts";
import { command } from "./_command.ts";
import { writePlugins } from "./_plugins.ts";

/** Longest time of a test here. */
export const longestSeconds = 180;

Deno.test("listEndpoints and configurationUrl say where clients and machines go", () => {
  assert.deepEqual(listEndpoints(cluster), ["10.5.0.2"]);
  assert.equal(
    configurationUrl("fd74::1", 40_001),
    "http://[fd74::1]:40001/config.yaml",
  );
});

/** Shell functions for a network namespace: `osctl`, `node` for files of one, `left` for what there is. */
const functions = `
cd "$1"; ip link set lo up; echo 0 >/proc/sys/net/ipv4/ip_forward
osctl() { "$DENO" run -A --no-check --quiet "$MAIN" "$@" --state "$PWD/state"; }
said() { until [ "$(grep -ac "$2" state/$1.log 2>/dev/null)" = "$3" ]; do sleep 0.05; done; echo "$1 said $2 $3 times"; }
left() { echo "links: $(ip -br link | grep -vc '^lo '), rules: $( (nft list tables | grep -v '^table ip'; iptables-save; ip6tables-save) | grep -c '^table\\|^-A'), machines: $(pgrep -fc "(qemu-system|swtpm).*$PWD/"), files: $(ls state | wc -l)"; }

killed() { # create that is killed as soon as it has said something
  "$DENO" run -A --no-check --quiet "$MAIN" cluster create --name $1 --state "$PWD/state" --cidr 10.79.0.0/24 --disk-image-path boot.img --workers 0 $vms >out-$1 2>&1 & pid=$!
  disown; until grep -q "$2" out-$1 2>/dev/null; do sleep 0.01; done; kill -9 $pid
  osctl cluster destroy --name $1 --force; rm -f controlplane.yaml worker.yaml
}
stopped() { # create that gets signal $1 while it runs program $2
  rm -f begun; mkdir -p slow; printf '#!/bin/sh\\ntouch begun; while [ -e %s ]; do sleep 0.02; done; exec %s "$@"\\n' "$PWD/slow/$2" "$(command -v $2)" >slow/$2; chmod +x slow/$2
  PATH=$PWD/slow:$PATH "$DENO" run -A --no-check --quiet "$MAIN" cluster create --name lab --state "$PWD/state" --cidr 10.76.0.0/24 --disk-image-path boot.img --workers 0 $vms >out 2>&1 & pid=$!
  until [ -e begun ]; do sleep 0.02; done
  kill -$1 $pid; wait $pid 2>/dev/null; echo "status $?: $(grep unfinished out)"; rm slow/$2
  osctl cluster show --name lab | grep -o "unfinished.*"; grep -o '"uuid":"[^"]*"' state/lab/qemu.json >>ids
}
${advertise}
vms="--os-version v1.6 --accel tcg --with-uefi=false --disk 8 --cpus 1 --cpus-workers 1 --memory 64 --memory-workers 64 --osconfig $PWD/osconfig --skip-injecting-config"
`;

const machineNeeds = [
  "qemu-system-x86_64",
  ...networkNeeds,
  taps,
  "pgrep",
] as const;

/** Runs a script in a network namespace of its own. */
async function inNamespace(folder: string, script: string): Promise<string> {
  const main = new URL("../../../mod.ts", import.meta.url).pathname;
  const { out, err } = await command([
    ...[
      "timeout",
      "170",
      "env",
      `DENO=${Deno.execPath()}`,
      `MAIN=${main}`,
      "NO_COLOR=1",
    ],
    ...["unshare", "-n", "bash", "-c", functions + script, "bash", folder],
  ]);
  try {
    await untilNone(folder);
  } catch (cause) {
    // The last line shows the place where it stopped.
    throw new Error(`${out}${err}`, { cause });
  }
  return withoutWaits(out + err);
}

Deno.test(
  "machines of a cluster start, are switched, survive their supervisor, and leave nothing",
  needs(...machineNeeds),
  async () => {
    await withFolder({}, async (folder) => {
      await Deno.writeFile(`${folder}/boot.img`, bootSector());
      const said = await inNamespace(
        folder,
        `
mkdir -p cache/manifests
osctl cluster create --name lab --cidr 10.77.0.0/24 --ipv6 --mtu 1400 --disk-image-path boot.img --image-cache-path cache --image-cache-port 5001 --with-json-logs --with-tpm2 --with-iommu --with-oslink \\
  --extra-disks 5 --extra-disks-drivers ide,ahci,scsi,nvme,megaraid --extra-disks-size 4 $vms 2>err >out; sed 's/[0-9.]* s$/T/' err; cat out
said lab/lab-controlplane-1 hello 1; said lab/lab-worker-1 hello 1; echo "TPMs: $(pgrep -fc "swtpm.*$PWD/"), tunnels: $(ip -br link | grep -c ^oswg)"
osctl cluster node power cycle lab-worker-1 --name lab; said lab/lab-worker-1 hello 2
osctl cluster node power off lab-worker-1 --name lab; until [ "$(pgrep -fc "swtpm.*$PWD/")" = 1 ]; do sleep 0.05; done
osctl cluster show --name lab | grep -E 'STATE|NETWORK|lab-'
port=$(sed 's/.*"serverPort":\\([0-9]*\\).*/\\1/' state/lab/qemu.json)
curl -s http://10.77.0.1:$port/status; echo
curl -s http://10.77.0.1:5001/v2/; echo; cat state/lab/image-cache.log
echo '{"a":1}' >/dev/tcp/10.77.0.1/4003; until [ -s state/lab/json-logs.log ]; do sleep 0.05; done; cat state/lab/json-logs.log
kill -9 $(cat state/lab/process); until flock -ns state/lab/process true; do sleep 0.01; done # it dies a moment later
osctl cluster start --name lab
said lab/lab-controlplane-1 hello 2; tail -c 3 state/lab/lab-controlplane-1.log >/dev/null
grep -ac hello state/lab/lab-worker-1.log
rm controlplane.yaml worker.yaml
osctl cluster create --name lab --cidr 10.78.0.0/24 --disk-image-path boot.img $vms 2>&1 | head -1
osctl cluster create --name other --cidr 10.77.0.128/25 --disk-image-path boot.img $vms 2>&1 | head -1
osctl cluster create --name huge --cidr 10.78.0.0/24 --disk-image-path boot.img $vms --memory 900TiB 2>&1 | grep error; ls state
osctl cluster destroy --name lab
left
`,
      );
      assert.equal(
        said.replaceAll(folder, "FOLDER").replaceAll(
          /osbr[0-9a-f]{8}/g,
          "BRIDGE",
        ),
        `creating network BRIDGE: T
creating disks: T
starting nodes: T
lab-controlplane-1: started, 10.77.0.2, fd74:616c:a4d:0::2
lab-worker-1: started, 10.77.0.3, fd74:616c:a4d:0::3
Created controlplane.yaml
Created worker.yaml
hint: Check it with: osctl health
hint: Destroy it with: osctl cluster destroy --name lab
NAME                 TYPE           IP                             CPU    RAM     DISK
lab-controlplane-1   controlplane   10.77.0.2,fd74:616c:a4d:0::2   1.00   67 MB   8.4 MB
lab-worker-1         worker         10.77.0.3,fd74:616c:a4d:0::3   1.00   67 MB   8.4 MB

Cluster "lab" is ready: 2 nodes; context "lab" in FOLDER/osconfig
lab/lab-controlplane-1 said hello 1 times
lab/lab-worker-1 said hello 1 times
TPMs: 2, tunnels: 1
lab-worker-1 is switched off and on again
lab/lab-worker-1 said hello 2 times
lab-worker-1 is switched off
STATE                 running
NETWORK NAME          lab
NETWORK CIDR          10.77.0.0/24,fd74:616c:a4d:0::/64
NETWORK GATEWAY       10.77.0.1,fd74:616c:a4d:0::1
NETWORK MTU           1400
NAME                 TYPE           IP                             STATE   CPU    RAM     DISK
lab-controlplane-1   controlplane   10.77.0.2,fd74:616c:a4d:0::2   on      1.00   67 MB   8.4 MB
lab-worker-1         worker         10.77.0.3,fd74:616c:a4d:0::3   off     1.00   67 MB   8.4 MB
{"PoweredOn":false}
{}
200 GET /v2/
{"node":"10.77.0.1","a":1}
Cluster "lab" is running; switched off: lab-worker-1
lab/lab-controlplane-1 said hello 2 times
2
error: Cannot create cluster "lab": it already exists, created with qemu
error: Cannot create the cluster: subnet 10.77.0.128/25 overlaps with 10.77.0.1/24 of interface BRIDGE; use --cidr 10.5.0.0/24
error: Cannot start cluster "huge": Cannot start huge-controlplane-1: qemu-system-x86_64 exited with status 1: qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory
lab
Cluster "lab" is destroyed; no context is left
links: 0, rules: 0, machines: 0, files: 0
hint: Switch a node on with: osctl cluster node power on lab-worker-1 --name lab
`,
      );
    });
  },
);

Deno.test(
  "machines that plugins attach boot the script of their cluster with iPXE, while another cluster is made and killed",
  needs(...machineNeeds, plugins),
  async () => {
    await withFolder({}, async (folder) => {
      await Deno.writeFile(`${folder}/boot.img`, bootSector());
      await Deno.writeTextFile(
        `${folder}/script`,
        "#!ipxe\nchain --autofree boot.img\n",
      );
      await writePlugins(`${folder}/plugins`);
      const said = await inNamespace(
        folder,
        `
ip addr add 198.51.100.1/32 dev lo
busybox httpd -p 198.51.100.1:8080 -h . -f -vv 2>requests & http=$!
tar -czf plugins.tar.gz -C plugins .
osctl cluster create --name net --cidr 10.78.0.0/24 --ipxe-boot-script http://198.51.100.1:8080/script --workers 0 $vms \\
  --cni-bin-path bin --cni-bundle-url http://198.51.100.1:8080/plugins.tar.gz --cni-cache-dir cache --cni-conf-dir conf.d >out 2>&1 || cat out
ls bin conf.d cache/results | sed 's/ot[0-9a-f]*/TAP/'; ip netns list | grep -c '^ot'
router=$(ip -br link | grep -o '^osbr[0-9a-f]*')
advertise "$router" & radvd=$!
rm -f controlplane.yaml
killed other "starting nodes"
until grep -q script requests; do sleep 0.1; done; grep -o "10.78.0.2.*url:/script" requests | sed 's/:[0-9]*:/:PORT:/' | head -1
kill $radvd; osctl cluster destroy --name net; kill $http; ls conf.d cache/results | wc -w; ip netns list | grep -c '^ot'
left
`,
      );
      assert.equal(
        said,
        `bin:
bridge
firewall
static
tc-redirect-tap

cache/results:
net-TAP-1-veth0

conf.d:
net.conflist
1
Cluster "other" is destroyed
10.78.0.2:PORT: url:/script
Cluster "net" is destroyed; no context is left
2
0
links: 0, rules: 0, machines: 0, files: 0
`,
      );
    });
  },
);

Deno.test(
  "a creation that is killed or interrupted continues where it was with the same command, and with no other",
  needs(...machineNeeds),
  async () => {
    await withFolder({}, async (folder) => {
      await Deno.writeFile(`${folder}/boot.img`, bootSector());
      const said = await inNamespace(
        folder,
        `
mkdir -p state/lab; echo 1 >state/lab/.partial
stopped INT nft; stopped KILL nft; stopped INT fallocate; stopped KILL fallocate; stopped KILL qemu-system-x86_64
osctl cluster create --name lab --cidr 10.76.0.0/24 --disk-image-path boot.img --workers 1 $vms 2>&1
osctl cluster create --name lab --cidr 10.76.0.0/24 --disk-image-path boot.img --workers 0 $vms >out 2>err; sed 's/[0-9.]* s$/T/' err; tail -1 out
grep -o '"uuid":"[^"]*"' state/lab/qemu.json >>ids; sort -u ids | wc -l
said lab/lab-controlplane-1 hello 1
osctl cluster show --name lab | grep ^STATE; ls state/lab | grep -c begun
cat /proc/sys/net/ipv4/ip_forward
osctl cluster destroy --name lab
cat /proc/sys/net/ipv4/ip_forward
left
`,
      );
      assert.equal(
        said.replaceAll(folder, "FOLDER"),
        `status 130: Cluster "lab" is unfinished: it stopped while creating the network; to continue, repeat the command; to remove it: osctl cluster destroy --name lab
unfinished (creating the network)
status 137: 
unfinished (creating the network)
status 130: Cluster "lab" is unfinished: it stopped while creating disks; to continue, repeat the command; to remove it: osctl cluster destroy --name lab
unfinished (creating disks)
status 137: 
unfinished (creating disks)
status 137: 
unfinished (starting nodes)
error: Cannot continue cluster "lab": it was created with other options
hint: Use the same options, or remove it with: osctl cluster destroy --name lab
starting nodes: T
lab-controlplane-1: started, 10.76.0.2
Created controlplane.yaml
hint: Check it with: osctl health
hint: Destroy it with: osctl cluster destroy --name lab
Cluster "lab" is ready: 1 node; context "lab" in FOLDER/osconfig
1
lab/lab-controlplane-1 said hello 1 times
STATE                 running
0
1
Cluster "lab" is destroyed; no context is left
0
links: 0, rules: 0, machines: 0, files: 0
`,
      );
    });
  },
);
