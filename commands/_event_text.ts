/** Runtime events in words. */

import { enumName } from "../transport/node/enum_name.ts";
import type { EventContent } from "../transport/stream/event_content.ts";
import { Code } from "../transport/gen/common.ts";
import {
  MachineStatusEvent_MachineStage,
  PhaseEvent_Action,
  SequenceEvent_Action,
  ServiceStateEvent_Action,
  TaskEvent_Action,
} from "../transport/gen/machine_events.ts";
import { isoTime } from "../transport/node/timestamp.ts";

/** What an event says. */
export interface EventText {
  /** What it is about: a service, task, phase, sequence, stage or host name. */
  readonly source: string;
  /** What happened. */
  readonly message: string;
  /** Fields of the event: camel case, enum values by name, times as ISO 8601. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Content of one kind. */
type Of<Kind extends EventContent["kind"]> = Extract<
  EventContent,
  { readonly kind: Kind }
>["event"];

/**
 * Puts an event into words.
 *
 * @param content The event.
 */
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
