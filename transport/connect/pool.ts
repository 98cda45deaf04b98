/** Connections to the endpoints of a cluster: which are up, and whose turn it is. */

import { CancelledError, ConnectError } from "../../errors.ts";
import type { Endpoint } from "./endpoint.ts";

/** How long a failed endpoint is left alone, in milliseconds. */
const retryAfterMs = 3_000;

/** What a pool keeps. */
export interface PoolEntry {
  /** False when it takes no more calls. */
  readonly usable: boolean;
  /** True while it is not known whether the other side is still there. */
  readonly doubtful: boolean;
  /** Ends it and all calls on it. */
  readonly close: () => void;
}

/** Options of a pool. */
export interface PoolOptions<C extends PoolEntry> {
  /** Where to connect; not empty. */
  readonly endpoints: readonly Endpoint[];
  /** Connects to one of them. */
  readonly dial: (
    endpoint: Endpoint,
    signal: AbortSignal,
  ) => Promise<C>;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
}

/**
 * What is known of an endpoint.
 *
 * idle: not tried, or its connection ended. dialing: an attempt is under way. ready: serves calls.
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

/** Connections to endpoints; all are dialled at once on the first use, the first one that answers serves. */
export class Pool<C extends PoolEntry> {
  readonly #slots: readonly PoolSlot<C>[];
  readonly #options: PoolOptions<C>;
  readonly #closed = new AbortController();
  #turn = 0;

  /** Makes a pool; nothing is dialled. */
  constructor(options: PoolOptions<C>) {
    this.#options = options;
    this.#slots = options.endpoints.map((endpoint) => ({
      endpoint,
      state: { kind: "idle" },
    }));
  }

  /**
   * Gives a connection, by turns among those that are up; a doubtful one only when there is no other.
   *
   * @param signal Ends the wait; the attempts continue for others.
   * @throws {ConnectError} If no endpoint can be reached.
   */
  async acquire(signal: AbortSignal): Promise<C> {
    while (true) {
      signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      for (const slot of this.#slots) this.#refresh(slot);
      const connection = this.#next();
      if (connection) return connection;
      const attempts = this.#slots.flatMap(({ state }) =>
        state.kind === "dialing" ? [state.done] : []
      );
      if (attempts.length === 0) throw this.#failure();
      // Any attempt that ends, well or not, is a reason to look again.
      await unlessAborted(Promise.race(attempts), signal);
    }
  }

  /** Ends all connections and attempts. */
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

  #next(): C | undefined {
    const ready = this.#slots.flatMap(({ state }) =>
      state.kind === "ready" ? [state.connection] : []
    );
    const sure = ready.filter(({ doubtful }) => !doubtful);
    const chosen = sure.length > 0 ? sure : ready;
    return chosen[this.#turn++ % chosen.length];
  }

  #failure(): unknown {
    const errors = this.#slots.flatMap(({ state }) =>
      state.kind === "dead" ? [state.error] : []
    );
    return noneAnswers(errors);
  }
}

/** One error out of those of all endpoints. `errors`: one or more, one per endpoint. */
function noneAnswers(errors: readonly unknown[]): unknown {
  const [first] = errors;
  const known = errors.filter((error) => error instanceof ConnectError);
  if (errors.length === 1 || known.length < errors.length) return first;
  const lines = known.map((error) => error.message);
  // The attempt that got furthest says most about what is wrong.
  const furthest = known.reduce((best, error) =>
    stage(error) > stage(best) ? error : best
  );
  return new ConnectError(
    furthest.reason,
    `None of ${errors.length} endpoints answers: ${lines.join("; ")}`,
    {
      cause: furthest,
      ...furthest.hint === undefined ? {} : { hint: furthest.hint },
    },
  );
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
