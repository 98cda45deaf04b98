/** What faults do to single calls of a model cluster. */

import { RpcError } from "../../../errors.ts";
import type { Clock } from "../../../simulator/clock/clock.ts";
import { neverSent } from "../../../transport/connect/status.ts";
import type { FaultyCalls, ModelFault } from "./model_fault.ts";

/** A fault that spoils calls. */
export type ModelCallFault = Extract<
  ModelFault,
  FaultyCalls & {
    readonly what: "slow" | "error" | "drop-before-send" | "drop-after-send";
  }
>;

/** Faults of calls that are on. */
export interface CallFaults {
  /** Switches one on. Returns what switches it off. */
  readonly add: (fault: ModelCallFault) => () => void;
  /**
   * Carries a call out, as far as faults let it.
   *
   * @param call Names of the method and of the node it is for.
   * @param messages What the node would answer; nothing is done before the first is asked for.
   * @throws {RpcError} What the caller sees instead.
   */
  readonly spoil: (
    call: CalledMethod,
    messages: AsyncIterable<unknown>,
  ) => AsyncIterable<unknown>;
}

interface CalledMethod {
  /** Name of the method: `Reboot`. */
  readonly method: string;
  /** Names the node goes by: its host name and its address. */
  readonly names: readonly string[];
  /** Aborts when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** Makes a list without faults. */
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

/** What a caller sees whose connection broke. */
export function broken(): RpcError {
  return new RpcError("UNAVAILABLE", "error reading from server: EOF");
}
