/** Schedule of faults during a rehearsal. */

import { OsctlError, RpcError } from "../../errors.ts";
import { KubernetesError } from "../kubernetes/client.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { EngineOptions } from "../runbooks/engine/engine_options.ts";
import type { JournalStore } from "../runbooks/journal/writer.ts";
import type { CallGate, Cut, SimulatedProcess } from "./simulated_process.ts";
import type {
  FaultMoment,
  InjectedFault,
  RehearsalFault,
} from "./faults/fault.ts";
import { matchesNode, matchesStep } from "./faults/matches.ts";
import type { EndFault } from "./model/inject_fault.ts";

/** Faults, and when they were injected. */
export interface Schedule {
  /** Starts, and injects the faults of the start. */
  readonly begin: () => Promise<void>;
  /** Sets the current process, which faults may kill. */
  readonly take: (life: SimulatedProcess) => void;
  /** Receives the events of the process. */
  readonly onEvent: EngineOptions["emit"];
  /** Filters each call of the process. */
  readonly gate: CallGate;
  /** Wraps the journal on the disk of the process. */
  readonly through: (
    length: () => number,
  ) => (store: JournalStore) => JournalStore;
  /** Current offset of the clock on the process's machine, in milliseconds. */
  readonly skewMs: () => number;
  /** Resolves when the process is killed, with the time until the next one, in milliseconds. */
  readonly killed: () => Promise<number>;
  /** Resolves when the disk is writable again; with false if it never will be. */
  readonly diskBack: () => Promise<boolean>;
  readonly calls: () => number;
  readonly injected: () => readonly InjectedFault[];
  readonly end: () => void;
}

interface Waiting {
  readonly fault: RehearsalFault;
  left: number;
  readonly struck: InjectedFault[];
}

type About = Pick<InjectedFault, "path" | "node" | "record">;

/** Creates a schedule; nothing is injected before it starts. */
export function makeSchedule(
  {
    faults,
    clock,
    strike,
    nameOf,
  }: {
    readonly faults: readonly RehearsalFault[];
    readonly clock: OperationClock;
    readonly nameOf: (node: string) => string;
    readonly strike: (fault: RehearsalFault) => Promise<EndFault>;
  },
): Schedule {
  const ended = new AbortController();
  const all = faults.map((fault): Waiting => ({
    fault,
    left: fault.where.kind === "rpc" ? 1 : fault.times ?? 1,
    struck: [],
  }));
  let life: SimulatedProcess | undefined;
  let calls = 0;
  let pending: Promise<unknown> = Promise.resolve();
  let failure: unknown;
  let skew = 0;
  let diskFailure: Promise<void> | undefined;
  let exit = Promise.withResolvers<number>();

  function due(
    kind: FaultMoment["kind"],
    is: (fault: RehearsalFault) => boolean,
  ) {
    return all.filter(({ fault, left }) =>
      fault.at.kind === kind && left > 0 && is(fault)
    );
  }

  const atNumber = (kind: "record" | "call", number: number) =>
    due(kind, ({ at }) => at.kind === kind && at.number === number);

  /** Injects faults, one at a time; later ones wait. */
  function strikeAll(some: readonly Waiting[], about: About): void {
    for (const one of some) {
      one.left--;
      const index = one.struck.push(toEntry(one.fault, about)) - 1;
      const over = () => {
        const until = new Date(clock.now()).toISOString();
        one.struck[index] = { ...one.struck[index]!, until }; // added above
      };
      pending = pending.then(() => strikeOne(one.fault, over))
        .catch((error) => failure ??= error);
    }
  }

  function toEntry({ text }: RehearsalFault, about: About): InjectedFault {
    return { fault: text, at: new Date(clock.now()).toISOString(), ...about };
  }

  async function strikeOne(
    fault: RehearsalFault,
    over: () => void,
  ): Promise<void> {
    const { where, what, ms = 0, forMs } = fault;
    switch (where.kind) {
      case "runner":
        return die(forMs);
      case "clock":
        skew += ms;
        return lasts(forMs, () => Promise.resolve(void (skew -= ms)), over);
      case "disk": {
        const back = Promise.withResolvers<void>();
        diskFailure = back.promise;
        return lasts(forMs, () => {
          diskFailure = undefined;
          return Promise.resolve(back.resolve());
        }, over);
      }
      case "node":
      case "etcd":
      case "k8s":
      case "registry":
      case "rpc": {
        // These happen at a moment of a call or of the cluster, and do not last.
        const isMomentary = what === "joins" || what === "leaves" ||
          what === "leader-moves" || what === "lease-lost";
        const lift = await strike(fault);
        if (!isMomentary) lasts(forMs, lift, over);
      }
    }
  }

  function die(outageMs = 0): void {
    life?.kill();
    exit.resolve(outageMs);
  }

  function lasts(
    forMs: number | undefined,
    lift: EndFault,
    over: () => void,
  ): void {
    if (forMs === undefined) return;
    clock.sleep(forMs, ended.signal).then(async () => {
      if (ended.signal.aborted) return;
      await lift();
      over();
    }).catch((error) => failure ??= error);
  }

  async function settled(): Promise<void> {
    await pending;
    if (failure !== undefined) throw failure;
  }

  const gate: CallGate = async ({ method, node: address }) => {
    const number = ++calls;
    const node = address === "" ? "" : nameOf(address);
    const some = atNumber("call", number);
    const cutting = some.filter(({ fault: { where } }) => where.kind === "rpc");
    strikeAll(some.filter((one) => !cutting.includes(one)), on(node));
    await settled();
    for (const one of cutting) {
      const cut = findCut(one.fault, method, node);
      if (cut === undefined) continue;
      one.left--;
      one.struck.push(toEntry(one.fault, on(node)));
      return cut;
    }
    return { kind: "none" };
  };

  function through(length: () => number) {
    return ({ write, sync }: JournalStore): JournalStore => ({
      async write(bytes) {
        const record = length() + 1;
        const some = atNumber("record", record);
        const later = some.filter(({ fault }) => fault.what === "kill");
        strikeAll(some.filter((one) => !later.includes(one)), { record });
        await settled();
        if (life?.dead.aborted) return;
        if (diskFailure !== undefined) {
          throw new OsctlError("No space left on device");
        }
        await write(bytes);
        strikeAll(later, { record });
        await settled();
      },
      sync,
    });
  }

  const onEvent: EngineOptions["emit"] = (event) => {
    if (event.type !== "step.start") return;
    const { path, node } = event;
    const some = due(
      "step",
      ({ at, where, what }) =>
        at.kind === "step" && matchesStep(at.glob, path) &&
        // A joining node is not one of the existing nodes.
        (where.kind !== "node" || node === undefined || what === "joins" ||
          matchesNode(where.glob, node)),
    );
    strikeAll(some, { path, ...on(node) });
  };

  function wait(one: Waiting): void {
    const { at } = one.fault;
    if (at.kind !== "time") return;
    clock.sleep(at.ms, ended.signal).then(() => {
      if (!ended.signal.aborted) strikeAll([one], {});
    });
  }

  return {
    async begin() {
      all.forEach(wait);
      strikeAll(due("start", () => true), {});
      await settled();
    },
    take(next) {
      life = next;
      exit = Promise.withResolvers();
    },
    onEvent,
    gate,
    through,
    skewMs: () => skew,
    killed: () => exit.promise,
    async diskBack() {
      const back = diskFailure;
      const comes = all.some(({ fault: { where, forMs }, struck }) =>
        where.kind === "disk" && struck.length > 0 && forMs !== undefined
      );
      if (back !== undefined && comes) await back;
      return comes;
    },
    calls: () => calls,
    injected: () =>
      all.flatMap(({ fault, struck }) =>
        struck.length === 0 ? [{ fault: fault.text }] : struck
      ),
    end: () => ended.abort(),
  };
}

function on(node = ""): Pick<About, "node"> {
  return node === "" ? {} : { node };
}

function findCut(
  { where, what, code }: RehearsalFault,
  method: string,
  node: string,
): Cut | undefined {
  if (where.kind !== "rpc") return undefined;
  const isMeant = (where.method === "*" || where.method === method) &&
    (where.node === undefined || matchesNode(where.node, node));
  if (!isMeant) return undefined;
  return {
    kind: what === "drop-after-send" ? "after" : "before",
    error: new RpcError(
      code ?? "UNAVAILABLE",
      code === undefined
        ? "error reading from server: EOF"
        : "simulated failure of the call",
    ),
    kubernetes: new KubernetesError(0, "the connection was closed"),
  };
}
