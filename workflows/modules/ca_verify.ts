/** `ca.verify` and `ca.report`: looking at trust. */

import { credentialIn } from "../ca/credentials.ts";
import { exchangeOf, findExchange } from "../ca/exchange.ts";
import { reportTrust } from "../ca/report.ts";
import { homeEntry } from "../ca/ring.ts";
import { type Route, verifyClients } from "../ca/verify.ts";
import { ConfigError } from "../../errors.ts";
import type { Json } from "../operations/operation.ts";
import type { Module, StepSite } from "../runbooks/module.ts";
import { kindField, kindOf } from "./ca_kind.ts";
import { choiceOf, handleOf, textOf, type Values } from "./values.ts";

/** Tries nodes with one client only. */
export const caVerify: Module = {
  kind: "read",
  name: "ca.verify",
  summary: "Try whether nodes take a client, and whom they are certified by",
  scope: "cluster",
  input: {
    kind: { ...kindField, required: false, initial: "os" },
    group: {
      type: "string",
      required: true,
      summary: "Nodes to try: a group, or self for the node of the fan-out",
    },
    server: {
      type: "enum",
      values: ["old", "new"],
      required: true,
      summary: "Authority the nodes have to be certified by",
    },
    client: {
      type: "secret",
      summary: "Client of osconfig.issue; default that of the context",
    },
    routes: {
      type: "list",
      items: {
        type: "enum",
        values: ["direct", "proxied"],
        summary: "A way to a node",
      },
      summary: "Ways to the nodes: past the endpoints, or through them",
    },
    expect: {
      type: "enum",
      values: ["accepted", "refused"],
      required: true,
      summary: "What the nodes have to do with the client",
    },
  },
  output: {
    ok: { type: "int", summary: "Tries that ended as expected" },
    total: { type: "int", summary: "All tries" },
    failures: {
      type: "list",
      items: { type: "string", summary: "Node, way and reason" },
      summary: "Tries that did not",
    },
  },
  retryable: ["unavailable", "deadline"],
  widenable: ["unauthenticated"],
  volatile: false,
  async *read(site, input) {
    if (kindOf({ kind: "os", ...input }) !== "os") {
      throw new ConfigError(
        "Clients of Kubernetes are no credentials of a run",
        {
          hint: "Use the check k8s.apiReachable",
        },
      );
    }
    const { room } = site;
    await exchangeOf(room, "os");
    const nodes = await nodesOf(site, textOf(input, "group") ?? "self");
    yield { text: `trying ${nodes.length} nodes` };
    const { ok, total, failures } = await verifyClients(room.ring, nodes, {
      client: await clientOf(site, input),
      authorities: choiceOf(input, "server", ["old", "new"]) === "new"
        ? "final"
        : homeEntry,
      routes: routesOf(input),
      expect: choiceOf(input, "expect", ["accepted", "refused"]),
    });
    return { ok, total, failures };
  },
};

/** Tells how far each node is. */
export const caReport: Module = {
  kind: "read",
  name: "ca.report",
  summary: "Tell whom each node trusts",
  scope: "cluster",
  input: {
    group: { type: "string", summary: "Nodes to ask; default all members" },
  },
  output: {
    nodes: {
      type: "list",
      items: { type: "any", summary: "A node" },
      summary: "Nodes with who issues and who is accepted",
    },
  },
  retryable: ["unavailable", "deadline"],
  widenable: [],
  volatile: false,
  async *read(site, input) {
    const group = textOf(input, "group");
    const names = group === undefined
      ? (await site.cluster.members()).map(({ address }) => address)
      : await nodesOf(site, group);
    yield { text: `asking ${names.length} nodes` };
    const { vault } = site.room;
    const exchanges = {
      os: await findExchange(vault, "os"),
      kubernetes: await findExchange(vault, "kubernetes"),
    };
    const nodes = await reportTrust(site.cluster, names, exchanges);
    // Rows are plain values.
    return { nodes: nodes as unknown as Json };
  },
};

async function nodesOf(
  { node, room }: StepSite,
  group: string,
): Promise<readonly string[]> {
  if (group === "self" && node !== "") return [node];
  const names = await room.group(group);
  if (group !== "self" || names.length > 0) return names;
  throw new ConfigError('Group "self" is for steps inside a fan-out');
}

async function clientOf(
  { room: { vault } }: StepSite,
  input: Values,
): Promise<string> {
  const handle = handleOf(input, "client");
  if (handle === undefined) return homeEntry;
  return (await credentialIn(vault, handle)).name;
}

function routesOf({ routes }: Values): readonly Route[] {
  const known: readonly Route[] = ["direct", "proxied"];
  const given = Array.isArray(routes) ? routes : known;
  return known.filter((route) => given.includes(route));
}
