import { withoutQuotes } from "../../../transport/connect/status_text.ts";
import { RpcError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import type { ServiceInfo } from "../../../transport/gen/machine.ts";
import { single } from "../../../transport/call/reply.ts";
import { isoTime } from "../../../transport/node/timestamp.ts";
import type {
  Effect,
  NodeContext,
  Operation,
  PlannedAction,
  Reconciled,
} from "../operation.ts";
import type { QuorumEffect } from "../../etcd/quorum.ts";
import { type LookResult, untilSeen } from "../poll.ts";

/** Action on a service. */
export type ServiceAction = "start" | "stop" | "restart";

type ServiceInput = {
  readonly id: string;
};

type ServiceKey = {
  /** Time of the last event of the service, ISO 8601; empty if there is none. */
  readonly since: string;
};

interface ServiceSeen {
  /** `Running`, `Finished`, `Preparing` …; empty if the node does not have it. */
  readonly state: string;
  /** Result of its health check; `undefined` if it has none. */
  readonly healthy: boolean | undefined;
  /** Message of its health check, otherwise of its last event; for users. */
  readonly message: string;
  /** Events, oldest first. */
  readonly events: readonly {
    /** State after the event. */
    readonly state: string;
    /** Time, ISO 8601. */
    readonly time: string;
  }[];
}

type ServiceOperation = Operation<ServiceInput, ServiceSeen, ServiceKey>;

/** Timeout for the request, which returns when a service has stopped, in milliseconds. */
const deadlineMs = 60_000;

/** `service <id> start`. Source: `MachineService.ServiceStart`. */
export const serviceStart: ServiceOperation = makeOperation("start", "write");

/** `service <id> stop`. Source: `MachineService.ServiceStop`. */
export const serviceStop: ServiceOperation = makeOperation("stop", "disrupt");

/** `service <id> restart`. Source: `MachineService.ServiceRestart`. */
export const serviceRestart: ServiceOperation = makeOperation(
  "restart",
  "disrupt",
);

function makeOperation(
  action: ServiceAction,
  effect: Effect,
): ServiceOperation {
  return {
    name: `service ${action}`,
    effect,
    idempotency: action === "restart" ? "keyed" : "converge",
    quorum: ({ id }) => quorumEffect(action, id),
    observe: ({ client }, { id }) => readService(client, id),
    plan: (seen, { id }) => makePlan(action, seen, id),
    key: ({ events }) => ({ since: events.at(-1)?.time ?? "" }),
    async *apply({ client }, { id }) {
      yield { text: await send(client, action, id) };
    },
    reconcile: (context, { id }, key) =>
      reconcileService(action, context, id, key),
    verify: (context, { id }, { since }) =>
      untilSeen(
        context,
        async () => judge(action, await readService(context.client, id), since),
      ),
  };
}

function quorumEffect(action: ServiceAction, id: string): QuorumEffect {
  return id === "etcd" && action !== "start" ? "leaves-temporarily" : "none";
}

function makePlan(
  action: ServiceAction,
  { state }: ServiceSeen,
  id: string,
): readonly PlannedAction[] {
  const there = (action === "start" && state === "Running") ||
    (action === "stop" && isOver(state));
  return there ? [] : [{ action: `${action} ${id}` }];
}

async function send(
  { machine }: NodeClient,
  action: ServiceAction,
  id: string,
): Promise<string> {
  const asked = {
    start: () => machine.serviceStart({ id }, { deadlineMs }),
    stop: () => machine.serviceStop({ id }, { deadlineMs }),
    restart: () => machine.serviceRestart({ id }, { deadlineMs }),
  }[action];
  try {
    const { messages } = await asked();
    return single<(typeof messages)[number]>(messages).resp;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, hint } = error;
    throw new RpcError(code, `Cannot ${action} service "${id}": ${message}`, {
      cause: error,
      hint,
    });
  }
}

async function readService(
  { machine }: Pick<NodeClient, "machine">,
  id: string,
): Promise<ServiceSeen> {
  const { messages } = await machine.serviceList({}, { deadlineMs: 10_000 });
  const service = single(messages).services.find((one) => one.id === id);
  return service === undefined ? absent : toSeen(service);
}

const absent: ServiceSeen = {
  state: "",
  healthy: undefined,
  message: "",
  events: [],
};

function toSeen({ state, health, events }: ServiceInfo): ServiceSeen {
  const all = events?.events ?? [];
  const checked = health !== undefined && !health.unknown;
  return {
    state,
    healthy: checked ? health.healthy : undefined,
    message: withoutQuotes(
      (checked ? health.lastMessage : "") || all.at(-1)?.msg || "",
    ),
    events: all.map(({ state, ts }) => ({ state, time: isoTime(ts) })),
  };
}

/** Finds out if the request is done, in progress, or was never accepted. */
async function reconcileService(
  action: ServiceAction,
  { client }: Pick<NodeContext, "client">,
  id: string,
  { since }: ServiceKey,
): Promise<Reconciled> {
  const seen = await readService(client, id);
  if ("verdict" in judge(action, seen, since)) return "done";
  // Health checks of a running service are events, too.
  return statesSince(seen, since).every((state) => state === "Running")
    ? "not-started"
    : "in-progress";
}

function judge(
  action: ServiceAction,
  seen: ServiceSeen,
  since: string,
): LookResult {
  const { state, message } = seen;
  const text = `${state || "not there"}${message === "" ? "" : `: ${message}`}`;
  const done: LookResult = { verdict: { outcome: "done", reason: text } };
  const missing: LookResult = { missing: text };
  if (action === "stop") return isOver(state) ? done : missing;
  const states = statesSince(seen, since);
  if (state === "Running") {
    // It was restarted only if it left its state meanwhile.
    const isNew = action === "start" || states.some((one) => one !== "Running");
    return isNew && seen.healthy !== false ? done : missing;
  }
  // A service is also finished between its stop and its start.
  const hasStarted = states.slice(states.lastIndexOf("Stopping") + 1)
    .some((one) => !isOver(one));
  if (!isOver(state) || !hasStarted) return missing;
  return state === "Failed"
    ? { verdict: { outcome: "failed", reason: text } }
    : done;
}

function statesSince(
  { events }: ServiceSeen,
  since: string,
): readonly string[] {
  const last = events.findLastIndex(({ time }) => time === since);
  return events.slice(last + 1).map(({ state }) => state);
}

/** Finished states: one-shot services end, some are never started. */
function isOver(state: string): boolean {
  return state === "Finished" || state === "Failed" || state === "Skipped";
}
