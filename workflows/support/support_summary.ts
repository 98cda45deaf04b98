/** Summary for an expert: read first. */

import { OsctlError } from "../../errors.ts";
import { validityAt } from "../../pki/chain.ts";
import { expiryWarningMs } from "../../pki/findings.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { decodePemAs, pemLabel } from "../../pki/pem.ts";
import { relativeTime } from "../../terminal/units.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { payload } from "../../transport/call/payload.ts";
import { fanOut } from "../../transport/node/fan_out.ts";
import { readFields } from "../../transport/node/read_resource.ts";
import { byLines } from "../../transport/stream/by_line.ts";
import { takeTrust } from "../ca/cluster_trust.ts";
import type { CaKind } from "../ca/trust_list.ts";
import { readDiagnostics, readVersion } from "../checks/ask_nodes.ts";
import type { CheckContext, CheckResult } from "../checks/check.ts";
import { etcdNoAlarms, etcdQuorum } from "../checks/etcd.ts";
import { nodeReady, nodeServices } from "../checks/nodes.ts";
import type { Kubernetes, KubernetesObject } from "../kubernetes/client.ts";
import { listNodes } from "../kubernetes/nodes.ts";
import { askControlPlanes } from "../operations/cluster_view.ts";

/** Topics, in display order. */
export const summaryTopics = [
  "nodes",
  "services",
  "etcd",
  "certificates",
  "pods",
  "kernel",
] as const;

/** A problem, or something that cannot be determined. */
export interface SummaryRow {
  readonly topic: typeof summaryTopics[number];
  /** Source: a node, or `cluster`. */
  readonly source: string;
  /** `unknown` when the source did not answer. */
  readonly state: "problem" | "unknown";
  /** The problem, or why it is unknown; lower case first, no period. */
  readonly problem: string;
}

interface SummaryOptions {
  readonly context: CheckContext;
  readonly nodes: readonly string[];
  readonly now: Date;
  /** Problems of the client certificate; one line each. Throws `OsctlError` if unknown. */
  readonly clientProblems: () => Promise<readonly string[]>;
}

const atOnce = 64;

/** Timeout for a kernel log, in milliseconds. */
const kernelMs = 30_000;

/** Maximum number of kernel errors per node: the last ones. */
const mostErrors = 5;

/** Age of a container restart that counts as recent, in milliseconds: a day. */
const recentMs = 24 * 3_600_000;

const podsAtOnce = 500;

/** Runs all topics in parallel. Returns problems by topic, the cluster before its nodes. */
export async function supportSummary(
  { context, nodes, now, clientProblems }: SummaryOptions,
): Promise<readonly SummaryRow[]> {
  const { cluster, signal } = context;
  const look = (
    topic: SummaryRow["topic"],
    problems: () => Promise<readonly string[]>,
  ) => findProblems({ topic, source: "cluster" }, problems);
  const found = await Promise.all([
    look("nodes", async () => {
      const all = await listNodes(await cluster.kubernetes(), signal);
      return all.filter(({ ready }) => !ready)
        .map(({ name }) => `${name} is not ready in Kubernetes`);
    }),
    look("etcd", async () => {
      const { facts } = await cluster.readEtcd();
      // The other check reports that no node lists them.
      if (facts.members.length === 0) return [];
      return problemsIn(await etcdNoAlarms.run(context, {}));
    }),
    look("etcd", async () => problemsIn(await etcdQuorum.run(context, {}))),
    look("certificates", clientProblems),
    look("certificates", () => caProblems(context, now)),
    look("pods", async () => {
      const kubernetes = await cluster.kubernetes();
      return await podProblems(kubernetes, { now, signal });
    }),
    ofNodes(context, nodes),
  ]);
  signal.throwIfAborted();
  return found.flat().toSorted((a, b) =>
    summaryTopics.indexOf(a.topic) - summaryTopics.indexOf(b.topic)
  );
}

async function findProblems(
  about: Pick<SummaryRow, "topic" | "source">,
  problems: () => Promise<readonly string[]>,
): Promise<readonly SummaryRow[]> {
  try {
    const all = await problems();
    return all.map((problem) => ({ ...about, state: "problem", problem }));
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return [{ ...about, state: "unknown", problem: error.message }];
  }
}

function problemsIn(result: CheckResult): readonly string[] {
  return result.ok ? [] : [result.reason];
}

async function ofNodes(
  context: CheckContext,
  nodes: readonly string[],
): Promise<readonly SummaryRow[]> {
  const answers = fanOut({
    nodes,
    atOnce,
    signal: context.signal,
    async *open(node) {
      yield await ofNode({ ...context, node }, node);
    },
  });
  const found = new Map<string, readonly SummaryRow[]>();
  for await (const { node, value } of answers) found.set(node, value);
  return nodes.flatMap((node) => found.get(node) ?? []);
}

async function ofNode(
  context: CheckContext,
  source: string,
): Promise<readonly SummaryRow[]> {
  let client: NodeClient;
  try {
    client = await context.cluster.at(source);
    await readVersion(client);
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    // Further requests would fail for the same reason.
    const problem = error.message;
    return [{ topic: "nodes", source, state: "unknown", problem }];
  }
  const found = await Promise.all([
    findProblems(
      { topic: "nodes", source },
      async () => problemsIn(await nodeReady.run(context, {})),
    ),
    findProblems(
      { topic: "nodes", source },
      async () => await readDiagnostics(client) ?? [],
    ),
    findProblems(
      { topic: "services", source },
      async () => problemsIn(await nodeServices.run(context, {})),
    ),
    findProblems({ topic: "kernel", source }, () => kernelErrors(client)),
  ]);
  return found.flat();
}

/** Message priorities of errors. */
const isError = /^\w+: +(?:emerg|alert|crit|err): /;

/** Reads the last errors in the kernel log of a node, oldest first. */
async function kernelErrors(
  { machine }: NodeClient,
): Promise<readonly string[]> {
  let last: readonly string[] = [];
  const log = payload(machine.dmesg({}, { deadlineMs: kernelMs }));
  for await (const lines of byLines(log)) {
    const errors = lines.filter((line) => isError.test(line));
    last = [...last, ...errors].slice(-mostErrors);
  }
  return last;
}

const caNames: Readonly<Record<CaKind, string>> = {
  os: "the CA of the node API",
  kubernetes: "the CA of Kubernetes",
};

/** Checks the CAs of a control plane; nodes renew the certificates signed by them. */
async function caProblems(
  { cluster }: CheckContext,
  now: Date,
): Promise<readonly string[]> {
  const kinds: readonly CaKind[] = ["os", "kubernetes"];
  const lists = await askControlPlanes(
    cluster,
    (client) => Promise.all(kinds.map((kind) => takeTrust(client, kind))),
    "Cannot read the CAs of the cluster",
  );
  return lists.flatMap(({ issuing, accepted }, index) => {
    const pems = new Set(
      [...issuing === undefined ? [] : [issuing], ...accepted]
        .map(({ pem }) => pem),
    );
    return [...pems].flatMap((pem) => {
      const [der] = decodePemAs(pemLabel.certificate, pem);
      return endProblem(caNames[kinds[index]!], der, now) ?? [];
    });
  });
}

function endProblem(
  name: string,
  der: Uint8Array,
  now: Date,
): string | undefined {
  const facts = inspectCertificate(der);
  const end = facts.notAfter.toISOString();
  const day = end.slice(0, 10);
  switch (validityAt(facts, now)) {
    case "expired":
      return `${name} expired on ${day}`;
    case "not-yet-valid":
      return `${name} is not valid before ${
        facts.notBefore.toISOString().slice(0, 10)
      }`;
    case "valid":
      return facts.notAfter.getTime() - now.getTime() < expiryWarningMs
        ? `${name} expires on ${day}, ${relativeTime(end, now)}`
        : undefined;
  }
}

async function podProblems(
  kubernetes: Kubernetes,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const problems: string[] = [];
  let next = "";
  do {
    const page = next === "" ? "" : `&continue=${encodeURIComponent(next)}`;
    const path = `/api/v1/pods?limit=${podsAtOnce}${page}`;
    const list: KubernetesObject = await kubernetes.request(path, { signal });
    for (const pod of objectsIn(list.items)) {
      problems.push(...formatRestarts(pod, now));
    }
    next = String(readFields(list.metadata).continue ?? "");
  } while (next !== "");
  return problems;
}

/** Containers of a pod that restarted recently, or are in back-off. */
function formatRestarts(
  { metadata, status }: Readonly<Record<string, unknown>>,
  now: Date,
): readonly string[] {
  const { namespace, name } = readFields(metadata);
  const { initContainerStatuses, containerStatuses } = readFields(status);
  const containers = [initContainerStatuses, containerStatuses]
    .flatMap(objectsIn);
  return containers.flatMap((container) => {
    const count = Number(container.restartCount ?? 0);
    const { waiting } = readFields(container.state);
    const { terminated } = readFields(container.lastState);
    const { finishedAt, reason = "", exitCode = "" } = readFields(terminated);
    const ended = typeof finishedAt === "string" ? finishedAt : "";
    const isLate = now.getTime() - Date.parse(ended) < recentMs;
    if (count === 0 || !isLate && waiting === undefined) return [];
    const times = count === 1 ? "once" : `${count} times`;
    const last = ended === "" ? "" : `, last ${relativeTime(ended, now)}`;
    const why = [
      reason,
      exitCode === "" ? "" : `status ${exitCode}`,
      readFields(waiting).reason ?? "",
    ].filter((one) => one !== "").join(", ");
    return [
      `${namespace}/${name}: container ${container.name} was restarted ${times}${last}${
        why === "" ? "" : ` (${why})`
      }`,
    ];
  });
}

function objectsIn(
  value: unknown,
): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(readFields) : [];
}
