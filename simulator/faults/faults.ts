/** Faults that can be switched on in a simulated node: things users have met in the field. */

import type { RpcCode } from "../../errors.ts";

/** All faults by name. */
export const faults = {
  "stream-silence-after-ack": fact(
    1,
    "After a reboot, shutdown, upgrade, rollback or reset was accepted, streams of events stay open and say nothing more",
  ),
  "reboot-mid-stream": fact(
    2,
    "After some messages of a stream the node loses its power and boots again",
  ),
  "stream-drop": fact(
    2,
    "After some messages a stream breaks off with UNAVAILABLE",
  ),
  "vip-moves": fact(
    3,
    "New connections to this node's address reach another node",
  ),
  blackhole: fact(
    4,
    "Connections are taken and nothing is ever said, as if a firewall dropped the packets",
  ),
  unavailable: fact(
    10,
    "Nothing listens; for a part of a cluster, switch it on in several nodes",
  ),
  "server-cert-expired": fact(
    5,
    "The server shows a certificate that ended yesterday",
  ),
  "server-cert-not-yet-valid": fact(
    6,
    "The server shows a certificate that begins tomorrow",
  ),
  "clock-skew": fact(6, "The node's clock is off by an hour"),
  "server-ca-changed": fact(
    7,
    "The server shows a certificate of an authority that clients do not know",
  ),
  "client-cert-refused": fact(
    7,
    "The server trusts only clients of another authority",
  ),
  "not-in-san": fact(7, "The server's certificate names none of its addresses"),
  maintenance: fact(
    7,
    "The node has no configuration and offers the maintenance API only",
  ),
  "maintenance-before-boot": fact(
    9,
    "Each boot offers the maintenance API for a while before the installed system is up",
  ),
  slow: fact(10, "Every call takes half a second longer"),
  "reply-lost": fact(
    11,
    "A call is carried out, and the connection breaks before the reply",
  ),
  "address-moves": fact(
    11,
    "The node has another address; every connection to the old one breaks",
  ),
  "bootstrap-unrecorded": fact(
    12,
    "Bootstrap is carried out, and the connection breaks before the reply",
  ),
  "member-change-ambiguous": fact(
    13,
    "A member of etcd leaves or is removed, and the connection breaks before the reply",
  ),
  "request-lost": fact(
    13,
    "The connection breaks before a call is carried out",
  ),
  "never-returns": fact(15, "The next reboot leaves the node off"),
  "never-reboots": fact(
    15,
    "A reboot, shutdown, upgrade or reset that was accepted waits for pods for ever",
  ),
  "rolled-back": fact(
    15,
    "The first boot behind an upgrade fails, and the node returns with the old version",
  ),
  "returns-unconfigured": fact(
    15,
    "The next boot finds no configuration and ends in maintenance",
  ),
  "etcd-stopped": fact(
    17,
    "The service etcd has stopped, and starts when its data is wiped",
  ),
  "etcd-removed": fact(
    17,
    "Another member has removed this node's, whose etcd cannot run any more",
  ),
  "etcd-data-lost": fact(17, "The next boot finds no data of etcd"),
  "etcd-nospace": fact(17, "The node's etcd has raised the alarm NOSPACE"),
  "older-version": fact(18, "The node says it runs an older release"),
  "member-missing": fact(
    18,
    "The other nodes do not list this one as a member",
  ),
  "discovery-down": fact(
    18,
    "The node does not reach the discovery service: it lists no other member, and the others do not list it",
  ),
  "public-address-first": fact(
    18,
    "The other nodes list a public address of this one first",
  ),
  "rbac-reader": fact(
    7,
    "The node takes every caller for one with the role os:reader",
  ),
  "truncated-copy": fact(2, "A stream ends early, and in good order"),
  "log-cut-mid-line": fact(2, "A stream breaks off in the middle of a line"),
  "wrong-protobuf": fact(19, "Replies are bytes that are no message"),
  "pdb-blocks": fact(
    14,
    "A disruption budget lets no pod of this node go; counts evictions",
  ),
  "kubernetes-unavailable": fact(
    10,
    "The API server of this control plane breaks every connection",
  ),
  "image-missing": fact(20, "No registry has the images that are pulled"),
  "registry-down": fact(20, "No registry answers when images are pulled"),
  "kubelet-silent": fact(
    16,
    "The kubelet runs and reports nothing, so that Kubernetes takes the node for not ready",
  ),
  "lease-lost": fact(
    14,
    "Somebody else takes every Lease in kube-system, once",
  ),
  "etcd-corrupt": fact(17, "The node's etcd has raised the alarm CORRUPT"),
  "etcd-learner": fact(
    17,
    "The node's member was added anew, and is not given its vote",
  ),
  "etcd-leads": fact(17, "The node's member becomes the leader, once"),
  "call-fails": fact(
    10,
    "A call ends with an error before it is carried out; default UNAVAILABLE",
  ),
  "installer-fails": fact(
    20,
    "Installers end with status 1 and say how they are used, not what is wrong",
  ),
} as const;

/** Name of a fault. */
export type FaultName = keyof typeof faults;

/** How a fault behaves; what does not concern it is ignored. */
export interface FaultOptions {
  /** Only calls of this method, such as `Events`; default all that it concerns. */
  readonly method?: string;
  /** Ends by itself after so many calls; default never. */
  readonly calls?: number;
  /** Messages that get through first; default 1. */
  readonly afterMessages?: number;
  /** Time in milliseconds: how much slower, how far the clock is off, how long maintenance lasts. */
  readonly ms?: number;
  /** Address or host name of the other node that `vip-moves` leads to, default the last control plane; new address of `address-moves`, default one close to the old. */
  readonly node?: string;
  /** Version of `older-version`; default `v1.11.5`. */
  readonly tag?: string;
  /** Status of `call-fails`; default `UNAVAILABLE`. */
  readonly code?: RpcCode;
}

/** A fault that is on. */
export interface ActiveFault extends FaultOptions {
  /** Calls it will still spoil. */
  left: number;
  /** True once what it waits for has happened. */
  begun: boolean;
}

/** Faults of one node by name. */
export type ActiveFaults = Map<FaultName, ActiveFault>;

/**
 * Whether a fault spoils a call; counts the call.
 *
 * @param method Name of the method: `Events`.
 */
export function strikes(
  { faults }: { readonly faults: ActiveFaults },
  name: FaultName,
  method: string,
): ActiveFault | undefined {
  const fault = faults.get(name);
  if (!fault || fault.left <= 0) return undefined;
  const wanted = fault.method ? [fault.method] : defaultMethods[name];
  if (wanted && !wanted.includes(method)) return undefined;
  fault.left--;
  return fault;
}

/** What faults concern when they were not given a method. */
const defaultMethods: Readonly<
  Partial<Record<FaultName, readonly string[]>>
> = {
  "bootstrap-unrecorded": ["Bootstrap"],
  "log-cut-mid-line": ["Logs"],
  "member-change-ambiguous": ["EtcdLeaveCluster", "EtcdRemoveMemberByID"],
  "stream-silence-after-ack": ["Events"],
  "truncated-copy": ["Copy"],
};

function fact(failure: number, description: string): {
  readonly description: string;
  readonly failure: number;
} {
  return { failure, description };
}
