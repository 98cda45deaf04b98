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
      const failed: string[] = [];
      const groups = [
        [reads, nodes[0]],
        [actions, nodes[1]],
        [clusterActions, nodes[0]],
      ] as const;
      for (const [lines, node] of groups) {
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
      }
      assert.deepEqual(failed, []);
    });
  },
});
