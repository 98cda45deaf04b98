/** Faults of calls to any node of a cluster, counted together. */

import { neverSent } from "../../transport/connect/status.ts";
import type { Clock } from "../clock/clock.ts";
import {
  callFailed,
  connectionBroken,
  type FaultOptions,
} from "../state/faults.ts";

const kinds = ["slow", "call-fails", "request-lost", "reply-lost"] as const;

/** A fault of calls. */
export interface CallFault
  extends Pick<FaultOptions, "method" | "ms" | "code"> {
  readonly what: typeof kinds[number];
  /** Name or address of the called node; default any. */
  readonly node?: string;
  /** Number of calls after which it ends; default never. */
  readonly times?: number;
}

/** True if a fault affects single calls. */
export function isCallFault(name: string): name is CallFault["what"] {
  return kinds.some((one) => one === name);
}

/** Active faults of calls. */
export interface CallFaults {
  /** Activates a fault. Returns a function that removes it. */
  readonly add: (fault: CallFault) => () => void;
  /**
   * Runs a call, subject to the active faults.
   *
   * @param call Name of the method, and names of its node.
   * @param messages Responses of the node; nothing is done before the first is requested.
   * @throws {RpcError} Error for the caller.
   */
  readonly spoil: (
    call: CalledMethod,
    messages: AsyncIterable<unknown>,
  ) => AsyncIterable<unknown>;
}

interface CalledMethod {
  /** Name of the method: `Reboot`. */
  readonly method: string;
  /** Names of the node: host name and address. */
  readonly names: readonly string[];
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** Creates an empty list. */
export function callFaults(clock: Clock): CallFaults {
  const active = new Set<{ readonly fault: CallFault; left: number }>();

  function trigger(call: CalledMethod): readonly CallFault[] {
    return [...active].flatMap((one) => {
      const { method = call.method, node } = one.fault;
      const matches = method === call.method &&
        (node === undefined || call.names.includes(node));
      return matches && one.left-- > 0 ? [one.fault] : [];
    });
  }

  async function* spoilReplies(
    call: CalledMethod,
    messages: AsyncIterable<unknown>,
  ): AsyncGenerator<unknown> {
    const faults = trigger(call);
    for (const { what, ms = 0, code } of faults) {
      if (what === "slow") await clock.sleep(ms, call.signal);
      if (what === "call-fails") throw callFailed(code);
      if (what === "request-lost") throw neverSent(connectionBroken());
    }
    const isLost = faults.some(({ what }) => what === "reply-lost");
    for await (const message of messages) {
      if (isLost) throw connectionBroken();
      yield message;
    }
    if (isLost) throw connectionBroken();
  }

  return {
    add(fault) {
      const entry = { fault, left: fault.times ?? Infinity };
      active.add(entry);
      return () => void active.delete(entry);
    },
    spoil: (call, messages) =>
      active.size === 0 ? messages : spoilReplies(call, messages),
  };
}
