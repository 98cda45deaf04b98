import { maskValue } from "../lib/masker.ts";
import { UsageError } from "../errors.ts";
import { withoutQuotes } from "../transport/connect/status_text.ts";
import { followEvents } from "../transport/stream/follow_events.ts";
import type { Event } from "../transport/gen/machine.ts";
import { following, type GapRow } from "./_streams/follow_nodes.ts";
import {
  type Command,
  duration,
  integer,
  outputFlag,
  table,
  text,
  type Values,
} from "./_kit/mod.ts";
import { enumName } from "../transport/node/enum_name.ts";
import { Code } from "../transport/gen/common.ts";
import {
  AddressEvent,
  ConfigLoadErrorEvent,
  ConfigValidationErrorEvent,
  MachineStatusEvent,
  MachineStatusEvent_MachineStage,
  PhaseEvent,
  PhaseEvent_Action,
  RestartEvent,
  SequenceEvent,
  SequenceEvent_Action,
  ServiceStateEvent,
  ServiceStateEvent_Action,
  TaskEvent,
  TaskEvent_Action,
} from "../transport/gen/machine_events.ts";
import { isoTime } from "../transport/node/timestamp.ts";
import { eventTypePrefix } from "../talos.ts";
import type { Any } from "../transport/gen/google/protobuf/any.ts";

/** A runtime event. Source: `MachineService.Events`. */
interface EventRow {
  readonly node: string;
  /** Id, sortable by time; `--since` accepts it. */
  readonly id: string;
  /** Kind of event, such as `machine.TaskEvent`. */
  readonly event: string;
  /** Related operation, empty for none. */
  readonly actor: string;
  /** Subject: a service, task, phase, sequence, stage or hostname; empty for unknown kinds. */
  readonly source: string;
  readonly message: string;
  /** Fields of the event; absent for unknown kinds. */
  readonly payload?: EventText["payload"];
}

const inputs = {
  duration: duration("also show past events, this far back", {
    initial: "0s",
  }),
  since: text("also show past events after the one with this id"),
  tail: integer("also show this many past events, -1 for all", {
    initial: 0,
    least: -1,
  }),
  actorId: text("show only events of this operation"),
  output: outputFlag,
};

export const command = {
  summary: "Stream runtime events",
  description: `Only new events are shown unless a flag asks for past ones.

osctl reconnects to a node that reboots or is unreachable. No event is printed twice. Gaps are reported on standard
error, and with -o json, jsonl or yaml also as rows: node, gap ("node rebooted" or "connection lost"), since, until.`,
  inputs,
  streams: true,
  examples: [
    "events --nodes @all",
    "events --tail -1 --output jsonl",
    "events --duration 10m --nodes 10.0.0.2",
  ],
  view: table<EventRow | GapRow>({
    NODE: { cell: ({ node }) => node, name: true },
    ID: { cell: cell("id"), priority: 9 },
    EVENT: cell("event"),
    ACTOR: { cell: cell("actor"), priority: 8 },
    SOURCE: cell("source"),
    MESSAGE: { cell: cell("message"), prose: true, priority: 1 },
  }),
  async *run(context) {
    const { duration, since, tail, actorId, output } = context.input;
    if ([duration !== 0, since, tail !== 0].filter(Boolean).length > 1) {
      throw new UsageError(
        "Flags --duration, --since and --tail cannot be combined",
        { hint: "Use only one of them" },
      );
    }
    const request = {
      tailEvents: tail,
      tailId: since ?? "",
      tailSeconds: Math.ceil(duration / 1000),
      withActorId: actorId ?? "",
    };
    yield* following(context, {
      output,
      row: toRow,
      follow: (client, options) =>
        followEvents(client, { ...options, request }),
    });
  },
} satisfies Command<EventRow | GapRow, Values<typeof inputs>>;

/** Gaps are rows of structured output only, so their cells are never shown. */
function cell(
  column: "id" | "event" | "actor" | "source" | "message",
): (row: EventRow | GapRow) => string {
  return (row) => "gap" in row ? "" : row[column];
}

function toRow(node: string, { id, actorId, data }: Event): EventRow {
  const content = data && maskValue(eventContent(data), withoutQuotes);
  return {
    node,
    id,
    event: eventType(data?.typeUrl ?? ""),
    actor: actorId,
    ...content === undefined
      ? { source: "", message: `${data?.value.length ?? 0} bytes` }
      : eventText(content),
  };
}

/** Text of an event. */
interface EventText {
  /** Subject: a service, task, phase, sequence, stage or hostname. */
  readonly source: string;
  readonly message: string;
  /** Fields of the event: camel case, enum values by name, times as ISO 8601. */
  readonly payload: Readonly<Record<string, unknown>>;
}

type Of<Kind extends EventContent["kind"]> = Extract<
  EventContent,
  { readonly kind: Kind }
>["event"];

/** Formats an event. */
export function eventText({ kind, event }: EventContent): EventText {
  switch (kind) {
    case "SequenceEvent":
      return sequence(event);
    case "PhaseEvent":
      return step(event, event.phase, PhaseEvent_Action);
    case "TaskEvent":
      return step(event, event.task, TaskEvent_Action);
    case "ServiceStateEvent":
      return service(event);
    case "ConfigLoadErrorEvent":
    case "ConfigValidationErrorEvent":
      return { source: "error", message: event.error, payload: { ...event } };
    case "AddressEvent":
      return addresses(event);
    case "MachineStatusEvent":
      return machine(event);
    case "RestartEvent":
      return restart(event);
  }
}

function sequence(event: Of<"SequenceEvent">): EventText {
  const text = step(event, event.sequence, SequenceEvent_Action);
  const { error } = event;
  if (error === undefined) return text;
  const { message } = error;
  const shown = { code: enumName(Code, error.code), message };
  return {
    ...text,
    message: `error: ${message}`,
    payload: { ...text.payload, error: shown },
  };
}

function step(
  event: { readonly action: number },
  source: string,
  actions: Readonly<Record<string, number>>,
): EventText {
  const action = enumName(actions, event.action);
  return { source, message: action, payload: { ...event, action } };
}

function service(event: Of<"ServiceStateEvent">): EventText {
  const { health } = event;
  const action = enumName(ServiceStateEvent_Action, event.action);
  return {
    source: event.service,
    message: `${action}: ${event.message}`,
    payload: {
      ...event,
      action,
      health: health && { ...health, lastChange: isoTime(health.lastChange) },
    },
  };
}

function addresses(event: Of<"AddressEvent">): EventText {
  const message = `ADDRESSES: ${event.addresses.join(",")}`;
  return { source: event.hostname, message, payload: { ...event } };
}

function machine(event: Of<"MachineStatusEvent">): EventText {
  const stage = enumName(MachineStatusEvent_MachineStage, event.stage);
  const { ready = false, unmetConditions = [] } = event.status ?? {};
  const names = unmetConditions.map(({ name }) => name).join(" ");
  return {
    source: stage,
    message: `ready: ${ready}, unmet conditions: [${names}]`,
    payload: { ...event, stage },
  };
}

function restart({ cmd }: Of<"RestartEvent">): EventText {
  return { source: "cmd", message: String(cmd), payload: { cmd: Number(cmd) } };
}

/** Event messages, by name in package `machine`. */
export const types = {
  AddressEvent,
  ConfigLoadErrorEvent,
  ConfigValidationErrorEvent,
  MachineStatusEvent,
  PhaseEvent,
  RestartEvent,
  SequenceEvent,
  ServiceStateEvent,
  TaskEvent,
} as const;

/** Event messages. */
type EventTypes = typeof types;

/** Content of an event by its kind. */
type EventContent = {
  readonly [Kind in keyof EventTypes]: {
    readonly kind: Kind;
    readonly event: ReturnType<EventTypes[Kind]["decode"]>;
  };
}[keyof EventTypes];

/** Message name of an event. Returns the name with its package: `machine.TaskEvent`; other URLs unchanged. */
export function eventType(typeUrl: string): string {
  return typeUrl.startsWith(eventTypePrefix)
    ? typeUrl.slice(eventTypePrefix.length)
    : typeUrl;
}

/**
 * Decodes the content of an event.
 *
 * @param data Field `data` of the event.
 * @returns `undefined` if the kind is unknown, such as from a newer node, or the bytes are invalid.
 */
export function eventContent(data: Any): EventContent | undefined {
  const kind = eventType(data.typeUrl).replace(/^machine\./, "");
  if (!isKind(kind)) return undefined;
  try {
    // The kind determines the message.
    return { kind, event: types[kind].decode(data.value) } as EventContent;
  } catch {
    return undefined;
  }
}

function isKind(name: string): name is keyof EventTypes {
  return Object.hasOwn(types, name);
}
