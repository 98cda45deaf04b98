/** Schedule of faults during a rehearsal. */

import { OsctlError } from "../../errors.ts";
import { callFailed, connectionBroken } from "../../simulator/state/faults.ts";
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

interface ScheduleOptions {
  readonly faults: readonly RehearsalFault[];
  readonly clock: OperationClock;
  readonly chooseName: (node: string) => string;
  readonly strike: (fault: RehearsalFault) => Promise<EndFault>;
}

interface ScheduledFault {
  readonly fault: RehearsalFault;
  /** Number of times it is still to be injected. */
  left: number;
  readonly injections: InjectedFault[];
}

type About = Pick<InjectedFault, "path" | "node" | "record">;

/** Injects faults at their moments; nothing before it starts. */
export class FaultSchedule {
  readonly #options: ScheduleOptions;
  readonly #all: readonly ScheduledFault[];
  readonly #ended = new AbortController();
  #process: SimulatedProcess | undefined;
  #calls = 0;
  #pending: Promise<unknown> = Promise.resolve();
  #failure: unknown;
  #skewMs = 0;
  #diskFailure: Promise<void> | undefined;
  #exit = Promise.withResolvers<number>();

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#all = options.faults.map((fault) => ({
      fault,
      left: fault.where.kind === "rpc" ? 1 : fault.times ?? 1,
      injections: [],
    }));
  }

  /** Starts, and injects the faults of the start. */
  async begin(): Promise<void> {
    for (const one of this.#all) this.#wait(one);
    this.#injectAll(this.#due("start", () => true), {});
    await this.#settled();
  }

  /** Sets the current process, which faults may kill. */
  take(process: SimulatedProcess): void {
    this.#process = process;
    this.#exit = Promise.withResolvers();
  }

  /** Filters each call of the process. */
  readonly gate: CallGate = async ({ method, node: address }) => {
    const number = ++this.#calls;
    const node = address === "" ? "" : this.#options.chooseName(address);
    const some = this.#atNumber("call", number);
    const cutting = some.filter(({ fault: { where } }) => where.kind === "rpc");
    this.#injectAll(some.filter((one) => !cutting.includes(one)), on(node));
    await this.#settled();
    for (const one of cutting) {
      const cut = findCut(one.fault, method, node);
      if (cut === undefined) continue;
      one.left--;
      one.injections.push(this.#toInjection(one.fault, on(node)));
      return cut;
    }
    return { kind: "none" };
  };

  /** Wraps the journal on the disk of the process. */
  through(length: () => number): (store: JournalStore) => JournalStore {
    return ({ write, sync }) => ({
      write: async (bytes) => {
        const record = length() + 1;
        const some = this.#atNumber("record", record);
        const later = some.filter(({ fault }) => fault.what === "kill");
        this.#injectAll(some.filter((one) => !later.includes(one)), { record });
        await this.#settled();
        if (this.#process?.dead.aborted) return;
        if (this.#diskFailure !== undefined) {
          throw new OsctlError("No space left on device");
        }
        await write(bytes);
        this.#injectAll(later, { record });
        await this.#settled();
      },
      sync,
    });
  }

  /** Receives the events of the process. */
  readonly onEvent: EngineOptions["emit"] = (event) => {
    if (event.type !== "step.start") return;
    const { path, node } = event;
    const some = this.#due(
      "step",
      ({ at, where, what }) =>
        at.kind === "step" && matchesStep(at.glob, path) &&
        // A joining node is not one of the existing nodes.
        (where.kind !== "node" || node === undefined || what === "joins" ||
          matchesNode(where.glob, node)),
    );
    this.#injectAll(some, { path, ...on(node) });
  };

  /** Current offset of the clock on the process's machine, in milliseconds. */
  get skewMs(): number {
    return this.#skewMs;
  }

  get calls(): number {
    return this.#calls;
  }

  injected(): readonly InjectedFault[] {
    return this.#all.flatMap(({ fault, injections }) =>
      injections.length === 0 ? [{ fault: fault.text }] : injections
    );
  }

  /** Resolves when the process is killed, with the time until the next one, in milliseconds. */
  killed(): Promise<number> {
    return this.#exit.promise;
  }

  /** Resolves when the disk is writable again; with false if it never will be. */
  async diskBack(): Promise<boolean> {
    const back = this.#diskFailure;
    const comes = this.#all.some(({ fault: { where, forMs }, injections }) =>
      where.kind === "disk" && injections.length > 0 && forMs !== undefined
    );
    if (back !== undefined && comes) await back;
    return comes;
  }

  end(): void {
    this.#ended.abort();
  }

  #due(
    kind: FaultMoment["kind"],
    is: (fault: RehearsalFault) => boolean,
  ): readonly ScheduledFault[] {
    return this.#all.filter(({ fault, left }) =>
      fault.at.kind === kind && left > 0 && is(fault)
    );
  }

  #atNumber(kind: "record" | "call", number: number) {
    return this.#due(
      kind,
      ({ at }) => at.kind === kind && at.number === number,
    );
  }

  /** Injects faults, one at a time; later ones wait. */
  #injectAll(some: readonly ScheduledFault[], about: About): void {
    for (const one of some) {
      one.left--;
      const index = one.injections.push(this.#toInjection(one.fault, about)) -
        1;
      const over = () => {
        const until = new Date(this.#options.clock.now()).toISOString();
        one.injections[index] = { ...one.injections[index]!, until }; // added above
      };
      this.#pending = this.#pending.then(() => this.#inject(one.fault, over))
        .catch((error) => this.#failure ??= error);
    }
  }

  #toInjection({ text }: RehearsalFault, about: About): InjectedFault {
    const at = new Date(this.#options.clock.now()).toISOString();
    return { fault: text, at, ...about };
  }

  async #inject(fault: RehearsalFault, over: () => void): Promise<void> {
    const { where, what, ms = 0, forMs } = fault;
    switch (where.kind) {
      case "runner":
        this.#process?.kill();
        return this.#exit.resolve(forMs ?? 0);
      case "clock":
        this.#skewMs += ms;
        return this.#lasts(forMs, () => void (this.#skewMs -= ms), over);
      case "disk": {
        const back = Promise.withResolvers<void>();
        this.#diskFailure = back.promise;
        return this.#lasts(forMs, () => {
          this.#diskFailure = undefined;
          back.resolve();
        }, over);
      }
      case "node":
      case "etcd":
      case "k8s":
      case "registry":
      case "rpc": {
        // These happen at a moment of a call or of the cluster, and do not last.
        const isMomentary = what === "joins" || what === "leaves" ||
          what === "etcd-leads" || what === "lease-lost";
        const lift = await this.#options.strike(fault);
        if (!isMomentary) this.#lasts(forMs, lift, over);
      }
    }
  }

  #lasts(
    forMs: number | undefined,
    lift: () => void | Promise<void>,
    over: () => void,
  ): void {
    if (forMs === undefined) return;
    const { signal } = this.#ended;
    this.#options.clock.sleep(forMs, signal).then(async () => {
      if (signal.aborted) return;
      await lift();
      over();
    }).catch((error) => this.#failure ??= error);
  }

  async #settled(): Promise<void> {
    await this.#pending;
    if (this.#failure !== undefined) throw this.#failure;
  }

  #wait(one: ScheduledFault): void {
    const { at } = one.fault;
    if (at.kind !== "time") return;
    const { signal } = this.#ended;
    this.#options.clock.sleep(at.ms, signal).then(() => {
      if (!signal.aborted) this.#injectAll([one], {});
    });
  }
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
    kind: what === "reply-lost" ? "after" : "before",
    error: code === undefined ? connectionBroken() : callFailed(code),
    kubernetes: new KubernetesError(0, "the connection was closed"),
  };
}
