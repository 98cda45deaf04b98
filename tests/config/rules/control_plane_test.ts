import { etcdRules } from "../../../config/rules/control_plane.ts";
import { testRules } from "./_rules.ts";

function withEtcd(etcd: string, type = "controlplane"): string {
  return `machine: {type: ${type}}\ncluster: {etcd: ${etcd}}`;
}

testRules("etcdRules", etcdRules, [
  ["takes nothing on a worker", "machine: {type: worker}\ncluster: {}", []],
  [
    "takes filters",
    withEtcd("{ca: {}, advertisedSubnets: ['10.0.0.0/8', '!10.0.0.1']}"),
    [],
  ],
  ["refuses etcd on a worker", withEtcd("{ca: {}}", "worker"), [
    "error cluster.etcd: etcd is configured on a worker",
  ]],
  ["requires a CA", withEtcd("{}"), ['error cluster.etcd.ca: "ca" is missing']],
  [
    "refuses subnet besides advertisedSubnets",
    withEtcd("{ca: {}, subnet: 10.0.0.0/8, advertisedSubnets: [10.0.0.0/8]}"),
    [
      'error cluster.etcd.subnet: Both subnet "10.0.0.0/8" and advertisedSubnets are given',
    ],
  ],
  [
    "refuses wrong filters",
    withEtcd("{ca: {}, advertisedSubnets: [a], listenSubnets: [10.0.0.0/33]}"),
    [
      'error cluster.etcd.advertisedSubnets[0]: etcd subnet "a" is not valid',
      'error cluster.etcd.listenSubnets[0]: etcd subnet "10.0.0.0/33" is not valid',
    ],
  ],
  ["refuses a wrong subnet", withEtcd("{ca: {}, subnet: node}"), [
    'error cluster.etcd.subnet: etcd subnet "node" is not valid',
  ]],
]);
