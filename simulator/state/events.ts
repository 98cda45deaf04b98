/** Runtime events of a node, for `Events`. */

import { eventTypePrefix } from "../../talos.ts";
import {
  MachineStatusEvent,
  PhaseEvent,
  SequenceEvent,
  ServiceStateEvent,
  TaskEvent,
} from "../../transport/gen/machine_events.ts";
import type { Clock } from "../clock/clock.ts";
import { createHistory, type HistoryBuffer } from "../wire/history_buffer.ts";

/** Number of events a node keeps; older ones are no longer available. */
const kept = 990;

const payloads = {
  MachineStatusEvent,
  PhaseEvent,
  SequenceEvent,
  ServiceStateEvent,
  TaskEvent,
} as const;

type NodeEventType = keyof typeof payloads;

/** Payload of an event type; omitted fields are empty. */
type NodeEventContent<T extends NodeEventType> = Parameters<
  (typeof payloads)[T]["fromPartial"]
>[0];

interface SimulatedEvent {
  /** Twenty characters, sortable by time. */
  readonly id: string;
  /** Time it was published, in milliseconds since 1970. */
  readonly time: number;
  /** UUID of its operation; empty if none was requested. */
  readonly actorId: string;
  readonly typeUrl: string;
  /** Encoded payload, computed on demand. */
  readonly payload: () => Uint8Array;
}

export interface NodeEvents extends HistoryBuffer<SimulatedEvent> {
  readonly publish: <T extends NodeEventType>(
    type: T,
    content: NodeEventContent<T>,
    actorId?: string,
  ) => void;
  /** Unique ID for an empty event, sent now. */
  readonly helloId: () => string;
}

/** Makes an empty event history. `machine`: UUID of the node; part of every event ID. */
export function createEvents(clock: Clock, machine: string): NodeEvents {
  const series = createHistory<SimulatedEvent>(kept);
  const origin = machine.replaceAll("-", "").slice(0, 10);
  return {
    ...series,
    publish(type, content, actorId = "") {
      const time = clock.now();
      const counter = series.end();
      let id: string | undefined;
      series.append({
        // Lazy, as most events are never read.
        get id() {
          return id ??= eventId(time, origin, counter);
        },
        time,
        actorId,
        typeUrl: `${eventTypePrefix}machine.${type}`,
        payload: () => encode(type, content),
      });
    },
    helloId: () =>
      eventId(clock.now(), `${origin.slice(0, 6)}0000`, series.end()),
  };
}

/**
 * Parses the time of an event ID. Returns milliseconds since 1970, in whole seconds; `undefined` if the ID is invalid.
 */
export function eventTime(id: string): number | undefined {
  if (!/^[0-9a-v]{20}$/.test(id)) return undefined;
  const bits = id.slice(0, 7).split("").reduce(
    (sum, digit) => sum * 32 + alphabet.indexOf(digit),
    0,
  );
  return Math.floor(bits / 8) * 1000;
}

const alphabet = "0123456789abcdefghijklmnopqrstuv";

function encode<T extends NodeEventType>(
  type: T,
  content: NodeEventContent<T>,
): Uint8Array {
  // The table pairs every name with its own type; the compiler sees their union.
  // deno-lint-ignore no-explicit-any
  const message = payloads[type] as any;
  return message.encode(message.fromPartial(content)).finish();
}

/** Formats seconds, machine and counter as 12 bytes in base 32. */
function eventId(time: number, origin: string, counter: number): string {
  const seconds = Math.floor(time / 1000).toString(16).padStart(8, "0");
  const count = (counter % 2 ** 24).toString(16).padStart(6, "0");
  const hex = `${seconds}${origin}${count}`;
  let id = "";
  let bits = 0;
  let buffer = 0;
  for (let index = 0; index < hex.length; index++) {
    buffer = buffer << 4 | parseInt(hex.charAt(index), 16);
    bits += 4;
    if (bits < 5) continue;
    bits -= 5;
    id += alphabet.charAt(buffer >> bits & 31);
    buffer &= (1 << bits) - 1;
  }
  return id + alphabet.charAt(buffer << 5 - bits);
}
