import { ConfigError } from "../../errors.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import { type ContextCheck, contextRows } from "../_doctor/check_context.ts";
import { type ConnectRow, findVerdict } from "../_doctor/row.ts";
import {
  type MaintenanceInputs,
  maintenanceInputs,
} from "../_kit/node_inputs.ts";
import { type Command, type Context, stateTone, table } from "../_kit/mod.ts";
import { readKnown } from "../_session/known_connection.ts";
import { workingOn } from "../../transport/call/open_calls.ts";

/** Timeout of each stage, in milliseconds. */
const stageTimeoutMs = 5_000;

export const command: Command<ConnectRow, MaintenanceInputs> = {
  summary: "Diagnose connection problems",
  description:
    `Checks the certificates of the context, then every endpoint: name resolution, proxy, TCP, TLS, the node's certificate
against the context's CA and this machine's clock, and whether the node accepts the client certificate. Through each
healthy endpoint it then calls the node API and the selected nodes.

It reports the first stage that fails with its cause and the next step to take, and exits with status 1. Nothing is
changed.`,
  inputs: maintenanceInputs,
  examples: [
    "doctor connect",
    "doctor connect --endpoints 10.0.0.2",
    "doctor connect --insecure --nodes 10.0.0.9",
  ],
  view: table({
    ENDPOINT: { cell: ({ endpoint }) => endpoint || "-", name: true },
    STAGE: { cell: ({ stage }) => stage, name: true },
    RESULT: {
      cell: ({ result }) => result,
      tone: ({ result }) => stateTone(result),
    },
    DETAIL: { cell: ({ detail }) => detail, prose: true },
  }),
  async *run(context) {
    const { signal } = context;
    const rows: ConnectRow[] = [];
    const { check, problem } = await makePlan(context);
    if (problem) yield problem;
    for await (const row of workingOn("connecting", contextRows(check))) {
      rows.push(row);
      yield row;
    }
    signal.throwIfAborted();
    const all = problem ? [problem, ...rows] : rows;
    const verdict = findVerdict(all, check.endpoints.length);
    if (verdict) throw verdict;
  },
};

interface ConnectPlan {
  readonly check: ContextCheck;
  /** Problem with the context itself, if endpoints were given in addition. */
  readonly problem?: ConnectRow;
}

async function makePlan(
  context: Context<MaintenanceInputs>,
): Promise<ConnectPlan> {
  const { globals, environment, signal } = context;
  const shared = {
    timeoutMs: stageTimeoutMs,
    nodeTimeoutMs: globals.nodeTimeout,
    env: environment.env,
    now: environment.now,
    clock: () => performance.now(),
    signal,
  };
  try {
    return { check: { ...shared, ...await readKnown(context) } };
  } catch (error) {
    const { endpoints } = globals;
    if (!(error instanceof ConfigError) || endpoints.length === 0) throw error;
    const check: ContextCheck = {
      ...shared,
      endpoints: endpoints.map(parseEndpoint),
      nodes: [],
      trust: { kind: "verified", identity: {} },
      withoutContext: true,
    };
    return { check, problem: toProblem(error) };
  }
}

function toProblem({ message, hint = "" }: ConfigError): ConnectRow {
  return {
    endpoint: "",
    stage: "context",
    result: "failed",
    detail: message,
    next: hint,
  };
}
