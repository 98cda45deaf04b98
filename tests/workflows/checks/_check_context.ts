/** A context of checks, with nodes made of handlers. */

import type { CheckContext } from "../../../workflows/checks/check.ts";
import type { ClusterView } from "../../../workflows/operations/cluster_view.ts";
import type { EtcdFacts } from "../../../workflows/etcd/quorum.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";

export interface CheckContextOptions {
  /** Handlers by node; those whose name starts with `c` are control planes. */
  readonly nodes?: Readonly<Record<string, FakeNode>>;
  readonly node?: string;
  readonly etcd?: Partial<EtcdFacts>;
  readonly memberOf?: Readonly<Record<string, string>>;
  /** Groups by name; without, all nodes. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly cluster?: Partial<ClusterView>;
}

/** Makes what a check is given. */
export function makeContext(
  { nodes = {}, node, etcd, memberOf = {}, groups = {}, cluster }:
    CheckContextOptions,
): CheckContext {
  const { nodes: fakes } = fakeNodes(nodes);
  const names = Object.keys(nodes);
  const absent = () => Promise.reject(new Error("The test gives no answer"));
  const view: ClusterView = {
    members: () =>
      Promise.resolve(names.map((name) => ({
        address: name,
        hostname: `${name}.lab`,
        controlPlane: name.startsWith("c"),
      }))),
    at: fakes.at,
    name: () => Promise.resolve("lab"),
    unconfigured: fakes.unconfigured,
    kubernetes: absent,
    readRole: (name) =>
      Promise.resolve(name.startsWith("c") ? "controlplane" : "worker"),
    readEtcd: () =>
      Promise.resolve({
        facts: {
          members: [],
          healthy: [],
          alarms: [],
          leader: "",
          doubts: [],
          silent: [],
          readAt: 0,
          ...etcd,
        },
        memberOf: new Map(Object.entries(memberOf)),
      }),
    ...cluster,
  };
  return {
    ...node === undefined ? {} : { node },
    cluster: view,
    group: (name) =>
      Promise.resolve(name === undefined ? names : groups[name] ?? []),
    signal: new AbortController().signal,
    clock: { now: () => 0, sleep: () => Promise.resolve() },
  };
}

/** An answer with one resource. */
export function resource(spec: unknown) {
  return { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
}

/** An answer with the version of a node. */
export function versionReply(tag: string, mode = "metal") {
  return { messages: [{ version: { tag }, platform: { name: mode, mode } }] };
}

/** An answer with services: state by name, `!` in front of those that are not healthy, `?` of those that do not know. */
export function serviceReply(states: Readonly<Record<string, string>>) {
  return {
    messages: [{
      services: Object.entries(states).map(([id, text]) => ({
        id,
        state: text.replace(/^[!?]/, ""),
        health: {
          healthy: !/^[!?]/.test(text),
          unknown: text.startsWith("?"),
          lastMessage: text.startsWith("!") ? "no answer" : "",
        },
        events: { events: [{ state: text, msg: "as told" }] },
      })),
    }],
  };
}
