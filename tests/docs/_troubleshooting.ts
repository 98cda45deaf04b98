/** The cluster of the troubleshooting page, with many faults. */

import type { PageSetup } from "./_type_page.ts";

const setup: PageSetup = {
  replace: [
    ["10.0.0.2", "10.5.0.2"],
    ["10.0.0.5", "10.5.0.3"],
    // By its own test, it reads all there is.
    ["support --nodes @all", "support --nodes 10.5.0.3"],
  ],
  notTyped: {
    "dashboard --nodes @all": "full screen: tests/commands/dashboard_test.ts",
  },
  shows: {
    "support --nodes @all -O case.zip": [
      /Support bundle with \d+ files written to /,
    ],
    "support --summary --from case.zip": [
      /^kernel +10\.5\.0\.3 +problem .* I\/O error/m,
    ],

    "support --summary --nodes @all": [
      /^nodes +cluster +problem +\S+-worker-1 is not ready in Kubernetes\n[^]*^nodes +10\.5\.0\.3 +problem +kubelet server certificate[^]*^nodes +10\.5\.0\.4 +unknown [^]*^etcd +cluster +problem +etcd has the alarm NOSPACE; run osctl etcd defrag .*\n[^]*^kernel +10\.5\.0\.3 +problem +kern: .* I\/O error/m,
      3,
    ],
    "health --nodes 10.0.0.2 --wait-timeout 10s": [
      /^apid to be ready +failed /m,
      4,
    ],
    "doctor connect": [/ nodes +failed +10\.5\.0\.4: /, 1],
    "config info": [/^Endpoints: [^]*^Certificate expires: /m],
    "version --nodes @all --node-timeout 5s": [/10\.5\.0\.2[^]*10\.5\.0\.3/, 3],
    "get members": [/simulated-worker-2 +\d+ +simulated-worker-2 +worker/],
    "etcd status --nodes @controlplane": [/^10\.5\.0\.2 .* alarm:NOSPACE$/m],
    "get machinestatus --nodes @all": [/^10\.5\.0\.3 .* running +true$/m, 3],
    "get nodestatus --nodes @all": [/worker-1 +\d+ +false +false$/m, 3],
    "service kubelet --nodes 10.0.0.5": [/^HEALTH +OK$/m],
    "logs kubelet --nodes 10.0.0.5 --since 15m": [/registered node/],
    "get diagnostics --nodes @all": [/ kubelet-csr +1 +kubelet server /, 3],
    "service --nodes @all": [/^10\.5\.0\.3 +kubelet +Running +OK/m, 3],
    "logs machined --nodes 10.0.0.5 --tail 50": [/new diagnostic/],
    "logs apid containerd --nodes 10.0.0.5 --merge --since 1h": [
      / containerd: [^]* apid: /,
    ],
    "events --nodes 10.0.0.5 --tail 20": [/ServiceStateEvent/, 130],
    "etcd alarm list --nodes @controlplane": [/^10\.5\.0\.2 +\w+ +NOSPACE$/m],
    "etcd members --nodes 10.0.0.2": [/controlplane-1 .* false$/m],
    "logs etcd --nodes @controlplane --merge --since 30m": [/published local/],
    "service etcd --nodes @controlplane": [/^STATE +Running$/m],
    "get staticpodstatus --nodes @controlplane": [
      /kube-apiserver-\S+ +1 +True$/m,
    ],
    "containers --kubernetes --nodes @controlplane": [
      /:kube-apiserver:.* CONTAINER_RUNNING$/m,
    ],
    "logs --kubernetes kube-apiserver --nodes @controlplane --tail 50": [/./],
    "netstat --listening --tcp --programs --nodes @controlplane": [
      /:6443 .* \d+\/kube-apiserver$/m,
    ],
    "dmesg --nodes @all --grep 'out of memory'": [/Killed process 2870/, 3],
    "stats --kubernetes --nodes 10.0.0.5": [/└─ .*:kube-proxy:\S+ +\d+\.\d\d /],
    "cgroups --preset memory --nodes 10.0.0.5": [/├──kube-proxy +\d+ MiB/],
    "cgroups --preset psi --nodes 10.0.0.5": [/CpuPsi10/],
    "processes --sort cpu --nodes 10.0.0.5": [/kube-proxy$/m],
    "memory --nodes @all": [/^10\.5\.0\.3 +2\.1 GB .* 1\.5 GB$/m, 3],
    "cgroups --preset io --nodes 10.0.0.5": [/kubepods +vda: /],
    "dmesg --nodes @all --grep ' (emerg|alert|crit|err): '": [
      /^10\.5\.0\.3: kern: +err: .* I\/O error, dev vda/,
      3,
    ],
    "dmesg --nodes @all --merge --since 30m": [
      /10\.5\.0\.2: [^]*10\.5\.0\.3: /,
      3,
    ],
    "disks --nodes @all": [/^10\.5\.0\.3 +\/dev\/vda .*\*$/m, 3],
    "mounts --nodes 10.0.0.5": [/ 13\.00% +\/var$/m],
    "usage --humanize --depth 2 --nodes 10.0.0.5 /var": [/ kB +log\/pods$/m],
    "get links --nodes 10.0.0.5": [/ eth0 .* up +true$/m],
    "get addresses --nodes 10.0.0.5": [/ 10\.5\.0\.3\/24 +eth0$/m],
    "get routes --nodes 10.0.0.5": [
      /inet4\/10\.5\.0\.1\/\/1024 +1 +10\.5\.0\.1 +eth0/,
    ],
    "get resolvers --nodes 10.0.0.5": [/ 1\.1\.1\.1,8\.8\.8\.8$/m],
    "netstat --nodes 10.0.0.5 --programs": [/ESTABLISHED +\d+\/kubelet$/m],
    "pcap --nodes 10.0.0.5 --duration 10s": [/ ARP who has /],
    "time --nodes @all": [/^10\.5\.0\.3 +time\.cloudflare\.com /m, 3],
    "get timestatus --nodes @all": [/^10\.5\.0\.3 .* true$/m, 3],
    "ca report --nodes @all": [/^10\.5\.0\.3 +kubernetes +[0-9a-f]{12}$/m, 3],
    "get machineconfig --nodes 10.0.0.5 -o yaml": [/^ +machine:$/m],
    "inspect dependencies --nodes 10.0.0.5 -o json": [/"controller": "block\./],
    "operation list": [/^ID +OPERATION /],
    "runbook status last": [/There are no runs/, 2],
  },
};

/**
 * Faults of the node that is looked at, 10.5.0.3. The control plane, 10.5.0.2, has an alarm, and 10.5.0.4 is down.
 */
export const troubleshooting = {
  setup,
  faults: ["kernel-errors", "kubelet-csr", "kubelet-silent"],
} as const;
