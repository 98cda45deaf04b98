/** Event stream from the engine to the output of a command. */

import { maskValue } from "../../../lib/masker.ts";
import type { NewEvent, RunEvent } from "../event.ts";
import type { EngineOptions } from "../engine/engine_options.ts";

/** Events of a run. */
export interface EventFeed {
  /** Emits an event; never waits. */
  readonly emit: EngineOptions["emit"];
  /** All events, until the end; for one reader. */
  readonly events: AsyncIterable<RunEvent>;
  readonly end: () => void;
  /** Reports that the reader has stopped. */
  readonly left: () => void;
  /** Resolves when the reader has taken all earlier events, or has stopped. */
  readonly taken: () => Promise<void>;
  /** Nodes inside a fan-out, with their current steps. */
  readonly inside: () => ReadonlyMap<string, string>;
}

/** Makes a feed. */
export function makeEventFeed(
  { run, now, mask, take }: {
    readonly run: string;
    readonly now: () => Date;
    readonly mask: (text: string) => string;
    readonly take: (event: RunEvent) => void;
  },
): EventFeed {
  const queue: RunEvent[] = [];
  const inside = new Map<string, string>();
  let seq = 0;
  let ended = false;
  let gone = false;
  let wake = Promise.withResolvers<void>();
  let idle = Promise.withResolvers<void>();

  function follow({ type, path, node }: NewEvent): void {
    if (node === undefined) return;
    if (type === "node.ended") inside.delete(node);
    else if (
      type === "node.entered" || type === "step.start" && inside.has(node)
    ) inside.set(node, path);
  }

  const emit: EventFeed["emit"] = (reported) => {
    follow(reported);
    const { type, data, ...place } = reported;
    // A copy: the sender may change the objects later.
    const masked = maskValue(JSON.parse(JSON.stringify({ place, data })), mask);
    const event: RunEvent = {
      v: 1,
      seq: ++seq,
      ts: now().toISOString(),
      run,
      type,
      ...masked.place,
      data: masked.data,
    };
    take(event);
    if (gone) return;
    queue.push(event);
    wake.resolve();
  };

  function leaveFeed(): void {
    gone = true;
    queue.length = 0;
    idle.resolve();
  }

  async function untilTaken(): Promise<void> {
    if (!gone && !ended && queue.length > 0) await idle.promise;
  }

  async function* events(): AsyncGenerator<RunEvent> {
    while (true) {
      // An event counts as taken when the next one is requested.
      for (const event of queue) yield event;
      queue.length = 0;
      idle.resolve();
      idle = Promise.withResolvers();
      if (ended) return;
      await wake.promise;
      wake = Promise.withResolvers();
    }
  }

  return {
    emit,
    events: events(),
    inside: () => inside,
    left: leaveFeed,
    taken: untilTaken,
    end() {
      ended = true;
      wake.resolve();
    },
  };
}
