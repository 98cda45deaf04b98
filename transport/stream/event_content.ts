/** Contents of runtime events. */

import { eventTypePrefix } from "../../dialect.ts";
import type { Any } from "../gen/google/protobuf/any.ts";
import {
  AddressEvent,
  ConfigLoadErrorEvent,
  ConfigValidationErrorEvent,
  MachineStatusEvent,
  PhaseEvent,
  RestartEvent,
  SequenceEvent,
  ServiceStateEvent,
  TaskEvent,
} from "../gen/machine_events.ts";

/** Messages an event can carry, by name in package `machine`. */
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

/** Messages an event can carry. */
export type Types = typeof types;

/** Content of an event by its kind. */
export type EventContent = {
  readonly [Kind in keyof Types]: {
    /** Name of the message. */
    readonly kind: Kind;
    /** The message. */
    readonly event: ReturnType<Types[Kind]["decode"]>;
  };
}[keyof Types];

/**
 * Name of the message an event carries.
 *
 * @returns Name with its package: `machine.TaskEvent`; the URL as it is when it is of another kind.
 */
export function eventType(typeUrl: string): string {
  return typeUrl.startsWith(eventTypePrefix)
    ? typeUrl.slice(eventTypePrefix.length)
    : typeUrl;
}

/**
 * Decodes the content of an event.
 *
 * @param data Field `data` of the event.
 * @returns `undefined` when the kind is not known here, as when the node is newer, or the bytes are no such message.
 */
export function eventContent(data: Any): EventContent | undefined {
  const kind = eventType(data.typeUrl).replace(/^machine\./, "");
  if (!isKind(kind)) return undefined;
  try {
    // The kind says which message it is.
    return { kind, event: types[kind].decode(data.value) } as EventContent;
  } catch {
    return undefined;
  }
}

function isKind(name: string): name is keyof Types {
  return Object.hasOwn(types, name);
}
