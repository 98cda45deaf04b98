/** Faults of single calls in a model cluster. */

import { RpcError } from "../../../errors.ts";
import type { Clock } from "../../../simulator/clock/clock.ts";
import { neverSent } from "../../../transport/connect/status.ts";
import type { FaultyCalls, ModelFault } from "./model_fault.ts";

/** A fault that affects calls. */
export type ModelCallFault = Extract<
  ModelFault,
  FaultyCalls & {
    readonly what: "slow" | "error" | "drop-before-send" | "drop-after-send";
  }
>;

/** Active faults of calls. */
export interface CallFaults {
  /** Activates a fault. Returns a function that removes it. */
  readonly add: (fault: ModelCallFault) => () => void;
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
  const active = new Set<{ readonly fault: ModelCallFault; left: number }>();

  function struck(call: CalledMethod): readonly ModelCallFault[] {
    return [...active].flatMap((one) => {
      const { method = call.method, node } = one.fault;
      const isMeant = method === call.method &&
        (node === undefined || call.names.includes(node));
      if (!isMeant || one.left-- <= 0) return [];
      return [one.fault];
    });
  }

  async function* spoiled(
    call: CalledMethod,
    messages: AsyncIterable<unknown>,
  ): AsyncGenerator<unknown> {
    const faults = struck(call);
    for (const fault of faults) {
      if (fault.what === "slow") await clock.sleep(fault.ms, call.signal);
      if (fault.what === "error") {
        throw new RpcError(fault.code, "simulated failure of the call");
      }
      if (fault.what === "drop-before-send") throw neverSent(broken());
    }
    const isLost = faults.some(({ what }) => what === "drop-after-send");
    for await (const message of messages) {
      if (isLost) throw broken();
      yield message;
    }
    if (isLost) throw broken();
  }

  return {
    add(fault) {
      const entry = { fault, left: fault.times ?? Infinity };
      active.add(entry);
      return () => void active.delete(entry);
    },
    spoil: (call, messages) =>
      active.size === 0 ? messages : spoiled(call, messages),
  };
}

/** Error for a caller whose connection broke. */
export function broken(): RpcError {
  return new RpcError("UNAVAILABLE", "error reading from server: EOF");
}
