/** Connection pool for the endpoints of a cluster. */

import { CancelledError, ConnectError } from "../../errors.ts";
import type { Endpoint } from "./endpoint.ts";

/** Backoff of a failed endpoint, in milliseconds. */
const retryAfterMs = 3_000;

interface PoolEntry {
  /** False if it accepts no more calls. */
  readonly usable: boolean;
  /** True while the connection may be lost. */
  readonly doubtful: boolean;
  /** Closes the connection and fails all calls on it. */
  readonly close: () => void;
}

interface PoolOptions<C extends PoolEntry> {
  /** Endpoints, at least one. */
  readonly endpoints: readonly Endpoint[];
  readonly dial: (
    endpoint: Endpoint,
    signal: AbortSignal,
  ) => Promise<C>;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
}

/**
 * State of an endpoint.
 *
 * idle: not tried, or disconnected. dialing: connecting. ready: connected.
 * dead: the last attempt failed; it becomes idle after a while.
 */
type ConnectionState<C> =
  | { readonly kind: "idle" }
  | { readonly kind: "dialing"; readonly done: Promise<void> }
  | { readonly kind: "ready"; readonly connection: C }
  | { readonly kind: "dead"; readonly error: unknown; readonly until: number };

interface PoolSlot<C> {
  readonly endpoint: Endpoint;
  state: ConnectionState<C>;
}

interface PastChoices {
  /** Endpoints that must not be used. */
  readonly tried: ReadonlySet<string>;
  /** Endpoints to use only as a last resort. */
  readonly avoided: ReadonlySet<string>;
  /** Host of the endpoint to use if it is connected. */
  readonly preferred?: string | undefined;
}

const none: ReadonlySet<string> = new Set();

/** Connections to endpoints; the first use dials all of them and takes the first that connects. */
export class Pool<C extends PoolEntry> {
  readonly #slots: readonly PoolSlot<C>[];
  readonly #options: PoolOptions<C>;
  readonly #closed = new AbortController();
  #turn = 0;

  /** Creates a pool without connecting. */
  constructor(options: PoolOptions<C>) {
    this.#options = options;
    this.#slots = options.endpoints.map((endpoint) => ({
      endpoint,
      state: { kind: "idle" },
    }));
  }

  /**
   * Returns a connection, round-robin; a doubtful one only as a last resort.
   *
   * @param signal Aborts the wait; connection attempts continue for other callers.
   * @param avoided Endpoints, as text, to use only as a last resort.
   * @param preferred Host of the endpoint to use if it is connected.
   * @throws {ConnectError} If no endpoint can be reached.
   */
  async acquire(
    signal: AbortSignal,
    avoided: ReadonlySet<string> = none,
    preferred?: string,
  ): Promise<C> {
    const past = { tried: none, avoided, preferred };
    const found = await this.#acquire(signal, past);
    if (found === undefined) throw this.#failure();
    return found;
  }

  /**
   * Returns a connection to an endpoint that was not tried yet.
   *
   * @param tried Endpoints as text.
   * @returns `undefined` if there is none, or none is reachable.
   */
  acquireOther(
    signal: AbortSignal,
    tried: ReadonlySet<string>,
  ): Promise<C | undefined> {
    return this.#acquire(signal, { tried, avoided: none });
  }

  async #acquire(
    signal: AbortSignal,
    { tried, avoided, preferred }: PastChoices,
  ): Promise<C | undefined> {
    const slots = this.#slots.filter(({ endpoint }) =>
      !tried.has(endpoint.text)
    );
    while (true) {
      signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      for (const slot of slots) this.#refresh(slot);
      const connection = this.#next(slots, avoided, preferred);
      if (connection) return connection;
      const attempts = slots.flatMap(({ state }) =>
        state.kind === "dialing" ? [state.done] : []
      );
      if (attempts.length === 0) return undefined;
      // Check again after any attempt, failed or not.
      await unlessAborted(Promise.race(attempts), signal);
    }
  }

  /** Closes all connections and aborts all attempts. */
  close(): void {
    this.#closed.abort(new CancelledError());
    for (const { state } of this.#slots) {
      if (state.kind === "ready") state.connection.close();
    }
  }

  #refresh(slot: PoolSlot<C>): void {
    const { state } = slot;
    const rested = state.kind === "dead" && state.until <= this.#options.now();
    const gone = state.kind === "ready" && !state.connection.usable;
    if (rested || gone || state.kind === "idle") {
      slot.state = { kind: "dialing", done: this.#dial(slot) };
    }
  }

  async #dial(slot: PoolSlot<C>): Promise<void> {
    const { dial, now } = this.#options;
    try {
      const connection = await dial(slot.endpoint, this.#closed.signal);
      slot.state = { kind: "ready", connection };
      if (this.#closed.signal.aborted) connection.close();
    } catch (error) {
      slot.state = { kind: "dead", error, until: now() + retryAfterMs };
    }
  }

  #next(
    slots: readonly PoolSlot<C>[],
    avoided: ReadonlySet<string>,
    preferred: string | undefined,
  ): C | undefined {
    const ready = slots.flatMap(({ endpoint: { host, text }, state }) =>
      state.kind === "ready"
        ? [{
          connection: state.connection,
          isAvoided: avoided.has(text),
          isPreferred: host === preferred,
        }]
        : []
    );
    const liked = ready.filter(({ isAvoided }) => !isAvoided);
    const open = liked.length > 0 ? liked : ready;
    const sure = open.filter(({ connection }) => !connection.doubtful);
    const chosen = sure.length > 0 ? sure : open;
    if (chosen.length === 0) return undefined;
    const first = chosen.find(({ isPreferred }) => isPreferred);
    if (first !== undefined) return first.connection;
    return chosen[this.#turn++ % chosen.length]?.connection;
  }

  #failure(): unknown {
    const errors = this.#slots.flatMap(({ state }) =>
      state.kind === "dead" ? [state.error] : []
    );
    return noneAnswers(errors);
  }
}

/** Combines the errors of all endpoints. `errors`: one per endpoint, at least one. */
function noneAnswers(errors: readonly unknown[]): unknown {
  const [first] = errors;
  const known = errors.filter((error) => error instanceof ConnectError);
  if (errors.length === 1 || known.length < errors.length) return first;
  const messages = known.map(({ message }) => message);
  const texts = new Set(messages);
  // Report a shared cause, such as a wrong CA, once.
  const shared = [why, whyUnsigned].map((read) => new Set(messages.map(read)))
    .find(({ size }) => size === 1);
  const lines = texts.size > 1 && shared !== undefined ? shared : texts;
  // The attempt that got furthest has the most useful error.
  const furthest = known.reduce((best, error) =>
    stage(error) > stage(best) ? error : best
  );
  return new ConnectError(
    furthest.reason,
    `None of ${errors.length} endpoints answers: ${[...lines].join("; ")}`,
    {
      cause: furthest,
      hint: furthest.hint,
    },
  );
}

/** Returns the reason in a message, without the leading endpoint. */
function why(message: string): string {
  return message.replace(/"[^"]*"/, "any of them");
}

/** Returns the reason in a message, also without the key of its signer, which differs where each node has a CA of its own. */
function whyUnsigned(message: string): string {
  return why(message).replace(/ \(key ID \w+\)(?=, which)/, "");
}

function stage({ reason }: ConnectError): number {
  const early = ["dns", "proxy", "refused", "unreachable", "timeout", "reset"];
  const place = (early as readonly string[]).indexOf(reason);
  return place < 0 ? early.length : place;
}

function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() =>
      signal.removeEventListener("abort", abort)
    );
  });
}

/** Records which endpoints recently failed to reach which nodes. */
export class Detours {
  readonly #failed = new Map<string, Set<string>>();

  /** Returns the endpoints, as text, to avoid for a node. */
  avoided(node: string): ReadonlySet<string> {
    return this.#failed.get(node) ?? none;
  }

  /** Records that an endpoint failed to reach a node. */
  failed(node: string, endpoint: string): void {
    const all = this.#failed.get(node) ?? new Set();
    this.#failed.set(node, all.add(endpoint));
  }

  reached(node: string, endpoint: string): void {
    this.#failed.get(node)?.delete(endpoint);
  }
}
