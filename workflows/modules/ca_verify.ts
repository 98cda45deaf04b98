/** `ca.verify` and `ca.report`: check and report trust. */

import {
  ConfigError,
  type ConnectCause,
  ConnectError,
  OsctlError,
} from "../../errors.ts";
import { credentialIn } from "../ca/credentials.ts";
import { findRotation, readRotation } from "../ca/rotation.ts";
import { reportTrust } from "../ca/report.ts";
import { homeEntry } from "../ca/run_credentials.ts";
import type { Json } from "../../lib/json.ts";
import type { Module, StepContext } from "./module.ts";
import type { CredentialRing } from "../ca/run_resources.ts";
import { kindField, readKind } from "./ca_kind.ts";
import {
  type ModuleInput,
  readChoice,
  readHandle,
  readText,
} from "../runbook_cel/values.ts";

/** Connects to nodes with one client only. */
export const caVerify: Module = {
  kind: "read",
  name: "ca.verify",
  summary:
    "Verify that nodes accept a client certificate, and which CA issued theirs",
  scope: "cluster",
  input: {
    kind: { ...kindField, required: false, initial: "os" },
    group: {
      type: "string",
      required: true,
      summary: "Nodes to verify: a group, or self for the node of the fan-out",
    },
    server: {
      type: "enum",
      values: ["old", "new"],
      required: true,
      summary: "CA that must have issued the nodes' certificates",
    },
    client: {
      type: "secret",
      summary:
        "Client certificate from osconfig.issue; default that of the context",
    },
    routes: {
      type: "list",
      items: {
        type: "enum",
        values: ["direct", "proxied"],
        summary: "Route to a node",
      },
      summary: "Routes to the nodes: direct, or through the endpoints",
    },
    expect: {
      type: "enum",
      values: ["accepted", "refused"],
      required: true,
      summary: "Expected result",
    },
  },
  output: {
    ok: {
      type: "int",
      summary: "Number of connections with the expected result",
    },
    total: { type: "int", summary: "Number of connections tried" },
    failures: {
      type: "list",
      items: { type: "string", summary: "Node, route and reason" },
      summary: "Connections with another result",
    },
  },
  retryable: ["unavailable", "deadline"],
  widenable: ["unauthenticated"],
  async *read(context, input) {
    if (readKind({ kind: "os", ...input }) !== "os") {
      throw new ConfigError(
        "ca.verify does not work with the CA of Kubernetes",
        {
          hint: "Use the check k8s.apiReachable instead",
        },
      );
    }
    await readRotation(context, "os");
    const nodes = await readNodes(context, readText(input, "group") ?? "self");
    yield { text: `trying ${nodes.length} nodes` };
    const { ok, total, failures } = await verifyClients(context.ring, nodes, {
      client: await readClient(context, input),
      trusted: readChoice(input, "server", ["old", "new"]) === "new"
        ? "final"
        : homeEntry,
      routes: readRoutes(input),
      expect: readChoice(input, "expect", ["accepted", "refused"]),
    });
    return { ok, total, failures };
  },
};

/** Reports the rotation state of each node. */
export const caReport: Module = {
  kind: "read",
  name: "ca.report",
  summary: "Report the CAs of each node",
  scope: "cluster",
  input: {
    group: { type: "string", summary: "Nodes to ask; default all members" },
  },
  output: {
    nodes: {
      type: "list",
      items: { type: "any", summary: "A node" },
      summary: "Nodes with their issuing and accepted CAs",
    },
  },
  retryable: ["unavailable", "deadline"],
  async *read(context, input) {
    const group = readText(input, "group");
    const names = group === undefined
      ? (await context.cluster.members()).map(({ address }) => address)
      : await readNodes(context, group);
    yield { text: `asking ${names.length} nodes` };
    const { vault } = context;
    const rotations = {
      os: await findRotation(vault, "os"),
      kubernetes: await findRotation(vault, "kubernetes"),
    };
    const nodes = await reportTrust(context.cluster, names, rotations);
    // Rows are plain JSON values.
    return { nodes: nodes as unknown as Json };
  },
};

async function readNodes(
  { node, group: nodesOf }: StepContext,
  group: string,
): Promise<readonly string[]> {
  if (group === "self" && node !== "") return [node];
  const names = await nodesOf(group);
  if (group !== "self" || names.length > 0) return names;
  throw new ConfigError('Group "self" is for steps inside a fan-out');
}

async function readClient(
  { vault }: StepContext,
  input: ModuleInput,
): Promise<string> {
  const handle = readHandle(input, "client");
  if (handle === undefined) return homeEntry;
  return (await credentialIn(vault, handle)).name;
}

function readRoutes({ routes }: ModuleInput): readonly Route[] {
  const known: readonly Route[] = ["direct", "proxied"];
  const given = Array.isArray(routes) ? routes : known;
  return known.filter((route) => given.includes(route));
}

/** Route to a node: direct, or through the endpoints. */
type Route = "direct" | "proxied";

interface ExpectedAccess {
  /** Ring entry to present. */
  readonly client: string;
  /** Ring entry whose CAs must have signed the server certificate. */
  readonly trusted: string;
  readonly routes: readonly Route[];
  readonly expect: "accepted" | "refused";
}

interface VerifiedClients {
  /** Number of connections with the expected result. */
  readonly ok: number;
  /** Number of connections: nodes times routes. */
  readonly total: number;
  readonly failures: readonly string[];
}

/** Timeout for each request, in milliseconds. */
const deadlineMs = 10_000;

const atOnce = 16;

/** Errors of a node that rejects a client. */
const refusals: ReadonlySet<ConnectCause> = new Set([
  "client-wrong-ca",
  "client-missing",
  "reset",
]);

/** Connects to every node over every route, with a new connection each. */
export async function verifyClients(
  ring: Pick<CredentialRing, "at">,
  nodes: readonly string[],
  expectation: ExpectedAccess,
): Promise<VerifiedClients> {
  const tries = nodes.flatMap((node) =>
    expectation.routes.map((route) => ({ node, route }))
  );
  const failures: string[] = [];
  for (let from = 0; from < tries.length; from += atOnce) {
    const some = tries.slice(from, from + atOnce);
    // Bounded concurrency.
    const found = await Promise.all(some.map(async ({ node, route }) => {
      const wrong = await tryRoute(ring, node, route, expectation);
      return wrong === undefined ? [] : [`${node} (${route}): ${wrong}`];
    }));
    failures.push(...found.flat());
  }
  const total = tries.length;
  return { ok: total - failures.length, total, failures };
}

/** Tries one route; returns the problem. */
async function tryRoute(
  ring: Pick<CredentialRing, "at">,
  node: string,
  route: Route,
  { client, trusted, expect }: ExpectedAccess,
): Promise<string | undefined> {
  try {
    const isDirect = route === "direct";
    const { machine } = await ring.at(client, node, isDirect, trusted);
    await machine.version({}, { deadlineMs });
    return expect === "accepted" ? undefined : "the client is accepted";
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    const isRefusal = error instanceof ConnectError &&
      refusals.has(error.reason);
    return expect === "refused" && isRefusal ? undefined : error.message;
  }
}
