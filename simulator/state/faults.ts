/** Faults of simulated nodes, as encountered by users in the field. */

import { type RpcCode, RpcError } from "../../errors.ts";

/** All faults: their effects by name. */
export const faults = {
  "stream-silence-after-ack":
    "After a reboot, shutdown, upgrade, rollback or reset was accepted, event streams stay open and send nothing more",
  "reboot-mid-stream":
    "The node loses power after some messages of a stream, and boots again",
  "stream-drop": "A stream fails with UNAVAILABLE after some messages",
  "vip-moves": "New connections to this node's address reach another node",
  "no-route":
    "Another node, by default the first control plane, does not reach this one: the calls it forwards fail",
  blackhole:
    "Connections are accepted and nothing is ever sent, as if a firewall dropped the packets",
  unavailable:
    "Every connection is refused; to take down a part of the cluster, use it on several nodes",
  "server-cert-expired":
    "The server presents a certificate that expired yesterday",
  "server-cert-not-yet-valid":
    "The server presents a certificate that is not valid until tomorrow",
  "clock-skew": "The node's clock is off by an hour",
  "server-ca-changed":
    "The server presents a certificate of a CA that clients do not know",
  "client-cert-refused": "The server trusts only clients of another CA",
  "not-in-san": "The server's certificate names none of its addresses",
  maintenance:
    "The node has no configuration and offers only the maintenance API",
  "maintenance-before-boot":
    "Each boot offers the maintenance API for a while before the installed system is up",
  slow: "Every call takes half a second longer",
  "reply-lost":
    "A call is executed, and the connection breaks before the reply",
  "address-moves":
    "The node's address changes; every connection to the old one breaks",
  "bootstrap-unrecorded":
    "Bootstrap is executed, and the connection breaks before the reply",
  "member-change-ambiguous":
    "An etcd member leaves or is removed, and the connection breaks before the reply",
  "request-lost":
    "The connection breaks before a call is executed; with a time, it is executed then",
  "never-returns": "The next reboot powers the node off",
  "never-reboots":
    "A reboot, shutdown, upgrade or reset that was accepted waits for pods forever",
  "rolled-back":
    "The first boot after an upgrade fails, and the node returns with the old version",
  "returns-unconfigured":
    "The next boot finds no configuration and ends in maintenance mode",
  "etcd-stopped":
    "The etcd service has stopped, and starts when its data is wiped",
  "etcd-removed":
    "Another member has removed this node's etcd member, so its etcd can no longer run",
  "etcd-data-lost": "The next boot finds no etcd data",
  "etcd-nospace": "The node's etcd has raised the alarm NOSPACE",
  "older-version": "The node reports an older release",
  "member-missing": "The other nodes do not list this one as a member",
  "discovery-down":
    "The node does not reach the discovery service: it lists no other member, and the others do not list it",
  "public-address-first":
    "The other nodes list a public address of this one first",
  "rbac-reader": "The node treats every caller as having the role os:reader",
  "truncated-copy": "A stream ends early, without an error",
  "log-cut-mid-line": "A stream ends in the middle of a line",
  "wrong-protobuf": "Replies are not valid messages",
  "pdb-blocks":
    "A disruption budget blocks evictions of this node's pods; counts evictions",
  "kubernetes-unavailable":
    "The API server of this control plane breaks every connection",
  "image-missing": "No registry has the images that are pulled",
  "registry-down": "No registry answers when images are pulled",
  "kubelet-silent":
    "The kubelet runs but reports nothing, so Kubernetes marks the node as not ready",
  "lease-lost": "Another client takes every Lease in kube-system, once",
  "etcd-corrupt": "The node's etcd has raised the alarm CORRUPT",
  "etcd-learner":
    "The node's member was added again as a learner, and is not promoted",
  "etcd-leads": "The node's member becomes the leader, once",
  "call-fails": "A call fails before it is executed; default UNAVAILABLE",
  "kernel-errors":
    "The kernel logs disk errors and an out-of-memory kill, now and at each boot",
  "address-overlap":
    "The node reports the diagnostic that its addresses overlap those of pods or services",
  "kubelet-csr":
    "The node reports the diagnostic that its kubelet's certificate request is not approved",
  "kubelet-late":
    "The kubelet takes two minutes to restart when its configuration changes",
  "static-pod-fails":
    "A control plane static pod does not become ready once its configuration changes; an API server then does not answer",
  "webhook-refuses":
    "An admission webhook denies changes to DaemonSets and Deployments",
  "tests-fail": "One of the tests in a pod on this node fails",
  "tests-hang":
    "One of the tests in a pod on this node does not end until the time of its runner is over",
  "installer-fails":
    "Installers exit with status 1 and print their usage, not what is wrong",
} as const;

/** Name of a fault. */
export type FaultName = keyof typeof faults;

/** Options of a fault; those that do not apply are ignored. */
export interface FaultOptions {
  /** Only calls of this method, such as `Events`; default all methods it applies to. */
  readonly method?: string;
  /** Number of calls after which it is switched off; default never. */
  readonly calls?: number;
  /** Number of messages to send first; default 1. */
  readonly afterMessages?: number;
  /** Time in milliseconds: delay of replies, clock skew, duration of maintenance mode, restart delay of a kubelet, or delay of a lost request. */
  readonly ms?: number;
  /** Address or host name of the other node: target of `vip-moves`, default the last control plane; node that `no-route` makes unreachable, default the first one. New address for `address-moves`, default close to the old one. */
  readonly node?: string;
  /** Version of `older-version`; default `v1.11.5`. */
  readonly tag?: string;
  /** Status of `call-fails`; default `UNAVAILABLE`. */
  readonly code?: RpcCode;
}

/** An active fault. */
export interface ActiveFault extends FaultOptions {
  remaining: number;
  /** True once its trigger has happened. */
  triggered: boolean;
}

/** Faults of one node by name. */
export type ActiveFaults = Map<FaultName, ActiveFault>;

/** Returns the fault if it affects a call, and counts the call. `method`: name of the method: `Events`. */
export function triggerFault(
  { faults }: { readonly faults: ActiveFaults },
  name: FaultName,
  method: string,
): ActiveFault | undefined {
  const fault = faults.get(name);
  if (!fault || fault.remaining <= 0) return undefined;
  const wanted = fault.method ? [fault.method] : defaultMethods[name];
  if (wanted && !wanted.includes(method)) return undefined;
  fault.remaining--;
  return fault;
}

const defaultMethods: Readonly<
  Partial<Record<FaultName, readonly string[]>>
> = {
  "bootstrap-unrecorded": ["Bootstrap"],
  "log-cut-mid-line": ["Logs"],
  "member-change-ambiguous": ["EtcdLeaveCluster", "EtcdRemoveMemberByID"],
  "stream-silence-after-ack": ["Events"],
  "truncated-copy": ["Copy"],
};

/** Error for a caller whose connection broke. */
export function connectionBroken(): RpcError {
  return new RpcError("UNAVAILABLE", "error reading from server: EOF");
}

/** Error of a call that a fault lets fail. */
export function callFailed(code: RpcCode = "UNAVAILABLE"): RpcError {
  return new RpcError(code, "simulated failure of the call");
}
