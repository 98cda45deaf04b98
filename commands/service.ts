import { withoutQuotes } from "../transport/connect/status_text.ts";
import { OsctlError } from "../errors.ts";
import type { ServiceInfo } from "../transport/gen/machine.ts";
import { isoTime } from "../transport/node/timestamp.ts";
import type {
  AnyOperation,
  Outcome,
} from "../workflows/operations/operation.ts";
import {
  type ServiceAction,
  serviceRestart,
  serviceStart,
  serviceStop,
} from "../workflows/operations/node/service_action.ts";
import {
  age,
  cell,
  type Command,
  type Context,
  duration,
  layOut,
  optionalWord,
  stateTone,
  table,
  textual,
  type Values,
} from "./_kit/mod.ts";
import { maintenanceInputs } from "./_kit/node_inputs.ts";
import { type Change, operate, operateInputs } from "./_kit/operate.ts";
import { single } from "../transport/call/reply.ts";

/** A service of a node. Source: `MachineService.ServiceList`. */
interface ServiceStateRow {
  readonly node: string;
  readonly id: string;
  /** Service state: `Running`. */
  readonly state: string;
  /** Result of its health check; `unknown` if it has none. */
  readonly health: "healthy" | "unhealthy" | "unknown";
  /** Last message of its health check, may be empty. */
  readonly healthMessage: string;
  /** Events, oldest first. */
  readonly events: readonly ServiceEventRow[];
}

interface ServiceEventRow {
  readonly state: string;
  readonly message: string;
  /** Time, ISO 8601. */
  readonly time: string;
}

/** Outcome of an action on one node. Source: `MachineService.ServiceStart`, `ServiceStop`, `ServiceRestart`. */
interface ServiceActionRow {
  readonly node: string;
  readonly id: string;
  readonly action: ServiceAction;
  /** `done`, `unchanged` or `accepted`. */
  readonly outcome: Outcome;
  /** Last observed state and health of the service, for display. */
  readonly response: string;
}

type ServiceRow = ServiceStateRow | ServiceActionRow;

const inputs = {
  id: optionalWord("id of the service", { complete: "services" }),
  action: optionalWord("action", {
    choices: ["status", "start", "stop", "restart"],
  }),
  wait: operateInputs.wait,
  timeout: duration("timeout", { initial: "5m0s" }),
  debug: operateInputs.debug,
  allow: operateInputs.allow,
  ...maintenanceInputs,
};

type ServiceInputs = Values<typeof inputs>;

const operations: Readonly<Record<ServiceAction, AnyOperation>> = {
  start: serviceStart,
  stop: serviceStop,
  restart: serviceRestart,
};

/** The command's change; lists and status are read-only. */
export const change = {
  operation: serviceStop,
  operations,
  chooseOperation: ({ id, action }) =>
    id !== undefined && isChange(action) ? operations[action] : undefined,
  prepare: ({ id = "", action }) => ({
    input: { id },
    toRow: ({ node, outcome, reason }) => ({
      node,
      id,
      action,
      outcome,
      response: reason,
    }),
  }),
} satisfies Change<ServiceInputs>;

export const command = {
  summary: "List services, or start, stop or restart one",
  description:
    `Without arguments, lists all services with their states. With an id, the default action is "status".

Waits until the service is in the requested state. etcd is stopped on one control plane at a time, and only while the
others keep the quorum.`,
  aliases: ["services"],
  inputs,
  examples: [
    "service",
    "service kubelet",
    "service kubelet restart --nodes 10.0.0.2",
  ],
  view: ({ id, action }, { now }) => {
    if (id === undefined) return overview(now());
    return isChange(action) ? responses : textual((row) => block(row, now()));
  },
  run: (context) => {
    const { id, action } = context.input;
    return id !== undefined && isChange(action)
      ? operate<ServiceActionRow>(context)
      : states(context, id);
  },
} satisfies Command<ServiceRow, ServiceInputs>;

function isChange(action: string | undefined): action is ServiceAction {
  return action === "start" || action === "stop" || action === "restart";
}

async function* states(
  { nodes }: Context<ServiceInputs>,
  id: string | undefined,
): AsyncGenerator<ServiceStateRow> {
  let found = false;
  const answers = nodes.call(async ({ machine }) =>
    single((await machine.serviceList({})).messages).services
  );
  for await (const { node, value: services } of answers) {
    for (const service of services) {
      if (id !== undefined && service.id !== id) continue;
      found = true;
      yield stateRow(node, service);
    }
  }
  if (id !== undefined && !found) {
    throw new OsctlError(`No node has a service "${id}"`, {
      hint: 'Run "osctl service" for the list of services',
    });
  }
}

function stateRow(
  node: string,
  { id, state, health, events }: ServiceInfo,
): ServiceStateRow {
  const healthy = health?.healthy ? "healthy" : "unhealthy";
  return {
    node,
    id,
    state,
    health: health === undefined || health.unknown ? "unknown" : healthy,
    healthMessage: withoutQuotes(health?.lastMessage ?? ""),
    events: (events?.events ?? []).map(({ state, msg, ts }) => ({
      state,
      message: withoutQuotes(msg),
      time: isoTime(ts),
    })),
  };
}

const healthText = { healthy: "OK", unhealthy: "Fail", unknown: "?" } as const;

const healthTones = {
  healthy: "good",
  unhealthy: "bad",
  unknown: undefined,
} as const;

function overview(now: Date) {
  return table<ServiceRow>({
    NODE: ({ node }) => node,
    SERVICE: ({ id }) => id,
    STATE: {
      cell: ofState(({ state }) => state),
      tone: (row) => "state" in row ? stateTone(row.state) : undefined,
    },
    HEALTH: {
      cell: ofState(({ health }) => healthText[health]),
      tone: (row) => "health" in row ? healthTones[row.health] : undefined,
    },
    "LAST CHANGE": {
      cell: ofState(({ events }) => ago(events.at(-1), now)),
      value: ofState(({ events }) => events.at(-1)?.time ?? ""),
    },
    "LAST EVENT": {
      cell: ofState(({ events }) => events.at(-1)?.message ?? "<none>"),
      prose: true,
    },
  });
}

const responses = table<ServiceRow>({
  NODE: { cell: ({ node }) => node, name: true },
  RESPONSE: {
    cell: (row) => "response" in row ? row.response : "",
    prose: true,
  },
});

/** Lists and status only have states. */
function ofState(text: (row: ServiceStateRow) => string) {
  return (row: ServiceRow) => "state" in row ? text(row) : "";
}

function block(row: ServiceRow, now: Date): string {
  if (!("state" in row)) return "";
  const { healthMessage } = row;
  const lines = [
    ["NODE", row.node],
    ["ID", row.id],
    ["STATE", row.state],
    ["HEALTH", healthText[row.health]],
    ...(healthMessage === "" ? [] : [["LAST HEALTH MESSAGE", healthMessage]]),
    ...row.events.toReversed().map((event, i) => [
      i === 0 ? "EVENTS" : "",
      `[${event.state}]: ${event.message} (${ago(event, now)})`,
    ]),
  ];
  return layOut(lines.map((line) => line.map(cell)), { gap: 3 }).text;
}

function ago(event: ServiceEventRow | undefined, now: Date): string {
  const text = event === undefined ? "" : age(event.time, now);
  return text === "" ? "" : `${text} ago`;
}
