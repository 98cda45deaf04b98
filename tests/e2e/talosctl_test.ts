import assert from "node:assert/strict";
import { needs, variable } from "../_needs.ts";
import { withHome } from "../_osctl.ts";

const program = Deno.env.get("TALOSCTL");

/** Commands that read, for a control plane, and what their output must have. */
const reads: readonly (readonly [line: string, shown: RegExp])[] = [
  ...[
    "rd namespaces members affiliates identities infos machineconfigs",
    "machinetypes machinestatuses kubeletspecs staticpods staticpodstatuses",
    "nodestatuses nodenames nodeips nodeaddresses hostnamestatuses",
    "volumestatuses discoveredvolumes disks systemdisks blockdevices",
    "mountstatus mounts links addresses routes resolvers timeservers",
    "platformmetadata securitystate services timestatuses adjtimestatus",
    "kernelparamstatuses modules memorymodules devices systeminformation",
    "hostdnsconfigs networkstatuses hardwareaddresses etcdspecs etcdmembers",
    "kubeprismstatuses versions kernelcmdlines devicesstatuses metaloads",
    "bootedentries extensions osrootsecrets kubernetesrootsecrets",
    "apicertificates certsans manifests manifeststatuses operatorspecs",
    "linkspecs addressspecs routespecs resolverspecs timeserverspecs",
    "hostnamespecs discoveryconfigs nodeaddresssortalgorithms mountrequests",
    "volumemountrequests volumemountstatuses imagecacheconfigs",
    "userdiskconfigstatuses volumelifecycles kubeletlifecycles",
  ].join(" ").split(" ").map((type) =>
    [`get ${type}`, /NODE.*\n\S+ .*\S/] as const
  ),
  ["get members -o yaml", /machineType: controlplane/],
  ["get machineconfig v1alpha1 -o jsonpath={.spec}", /machine:/],
  ["version", /Tag: *v1/],
  ["services", /kubelet/],
  ["service kubelet", /STATE/],
  ["containers", /IMAGE/],
  ["containers -k", /kube-apiserver/],
  ["processes", /PID/],
  ["stats", /MEMORY/],
  ["memory", /TOTAL/],
  ["mounts", /FILESYSTEM/],
  ["usage /var", /NAME/],
  ["netstat -alp", /LISTEN .*apid/],
  ["cgroups --preset memory", /└──burstable/],
  ["inspect dependencies", /KubeletSpecController/],
  ["inspect dependencies --with-resources", /subgraph/],
  ["pcap --duration 2s", /Layer 4/],
  ["ls -l /etc", /MODE/],
  ["read /proc/version", /Linux/],
  ["dmesg", /kern/],
  ["logs kubelet", /./],
  ["time", /NODE/],
  ["etcd members", /HOSTNAME/],
  ["etcd status", /DB SIZE/],
  ["image list", /IMAGE/],
  ["health --wait-timeout 20s", /OK/],
  ["health --server=false --wait-timeout 20s", /schedulable: OK/],
  // With every log that it wants.
  [
    "support -O support.zip -w 8",
    /^(?![^]*was not registered)[^]*Support bundle is written/,
  ],
];

/** Commands that change a worker, in this order. */
const actions: readonly (readonly [line: string, shown: RegExp])[] = [
  ["patch mc --patch @patch.yaml --dry-run", /swappiness/],
  ["patch mc --patch @patch.yaml", /patched/],
  ["edit mc", /no changes/i],
  ["service kubelet restart", /restarted/],
  ["meta write 0x0a hello", /^/],
  ["get metakeys 0x0a", /hello/],
  ["meta delete 0x0a", /^/],
  ["image pull docker.io/library/alpine:3.20", /^/],
  ["reboot --wait --timeout 60s", /post check passed/],
  ["reboot -m powercycle --wait --timeout 60s", /post check passed/],
  [
    "upgrade --image ghcr.io/siderolabs/installer:v1.12.12 --timeout 90s",
    /post check passed/,
  ],
];

/** Commands that change the whole cluster, for a control plane. */
const clusterActions: readonly (readonly [line: string, shown: RegExp])[] = [
  ["upgrade-k8s --to 1.34.2 --dry-run", /update kubelet: 1.34.1 -> 1.34.2/],
  ["upgrade-k8s --to 1.34.2", /waiting for apps.v1.DaemonSet.*kube-proxy/],
  ["get kubeletspecs -o yaml", /kubelet:v1.34.2/],
  [
    "rotate-ca --dry-run=false -o rotated.yaml",
    /> Kubernetes CA rotation done/,
  ],
];

const installer =
  "factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.14.0";

/** Commands of talosctl v1.14 for a worker of that release. */
const newActions: readonly (readonly [line: string, shown: RegExp])[] = [
  ["image list --namespace system", /etcd|kubelet:v/],
  ["image list --namespace inmem", /^$/],
  ["debug docker.io/library/alpine:3.20 --args echo,hello", /^hello$/m],
  ["image pull docker.io/library/alpine:3.20", /pulled image/],
  ["image remove docker.io/library/alpine:3.20", /^$/],
  ["wipe lv data/db", /lvm: resource not found/],
  ["wipe md /dev/md0", /md: array not found/],
  ["reboot --drain --progress plain", /post check passed[^]*node uncordoned/],
  [
    `upgrade --image ${installer} --progress plain`,
    /post check passed[^]*node uncordoned/,
  ],
];

/** The same for its control plane. */
const newClusterActions: typeof newActions = [
  ["support -O support.zip --no-encryption", /Support bundle is written/],
  [
    "upgrade-k8s --to v1.37.0 --manifests-reconcile-timeout 1m",
    /waiting for kubernetes objects to be fully reconciled\ndone$/m,
  ],
  ["upgrade-k8s --to v1.37.0 --dry-run", /< unchanged DaemonSet/],
];

/** Commands for a node without a configuration. */
const maintenanceReads: typeof newActions = [
  // As a reader it gets no kubeconfig, and ends with status 1.
  [
    "support --insecure --no-encryption -O insecure.zip",
    /Support bundle is written[^]*kubernetes client: .*PermissionDenied/,
  ],
  ...[
    "dmesg",
    "logs machined",
    "memory",
    "service",
    "get disks",
    "version",
  ].map((line) =>
    [`${line} --insecure`, /kern|talos|TOTAL|machined|vda|Tag/] as const
  ),
];

/** Runs commands for a node; returns those whose output is wrong. */
async function findFailed(
  path: string,
  lines: readonly (readonly [line: string, shown: RegExp])[],
  node: string,
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const [line, shown] of lines) {
    const { stdout, stderr } = await new Deno.Command(program!, {
      args: [...line.split(" "), "-n", node],
      cwd: path,
      env: {
        HOME: path,
        TALOSCONFIG: `${path}/.os/config`,
        EDITOR: "true",
      },
    }).output();
    const said = [stdout, stderr].map((bytes) =>
      new TextDecoder().decode(bytes)
    ).join("");
    if (!shown.test(said)) failed.push(`${line}: ${said.slice(-200)}`);
  }
  return failed;
}

Deno.test({
  name: "talosctl's client reads and changes simulated nodes",
  ...needs(variable("TALOSCTL")),
  async fn() {
    await withHome(async ({ path, osctl }) => {
      const created = await osctl(
        "cluster create embedded --etcd model --workers 1 -o json",
      );
      const { nodes } = JSON.parse(created.out);
      await Deno.writeTextFile(
        `${path}/patch.yaml`,
        "machine:\n  sysctls:\n    vm.swappiness: '10'\n",
      );
      assert.deepEqual(
        [
          ...await findFailed(path, reads, nodes[0]),
          ...await findFailed(path, actions, nodes[1]),
          ...await findFailed(path, clusterActions, nodes[0]),
        ],
        [],
      );
    });
  },
});

Deno.test({
  name: "talosctl's client v1.14 does with nodes of that release what is new",
  ...needs(variable("TALOSCTL")),
  async fn() {
    await withHome(async ({ path, osctl }) => {
      const create =
        "cluster create embedded --etcd model --os-version v1.14.0-rc.1 -o json";
      const { nodes } = JSON.parse((await osctl(create)).out);
      const failed = [
        ...await findFailed(path, newActions, nodes[1]),
        ...await findFailed(path, newClusterActions, nodes[0]),
      ];
      await osctl(`cluster fault set maintenance --nodes ${nodes[0]}`);
      failed.push(...await findFailed(path, maintenanceReads, nodes[0]));
      assert.deepEqual(failed, []);
    });
  },
});
