/** Events of a run on their way from the engine to those who watch. */

import { maskValue } from "../../../lib/masker.ts";
import type { NewEvent, RunEvent } from "../event.ts";
import type { EngineOptions } from "../engine/engine_options.ts";

/** Events of a run. */
export interface EventFeed {
  /** Tells one; never waits. */
  readonly emit: EngineOptions["emit"];
  /** All of them, until the end; for one reader. */
  readonly events: AsyncIterable<RunEvent>;
  readonly end: () => void;
  /** Says that the events are not read any more. */
  readonly left: () => void;
  /** Resolves when the reader has taken all that was reported before, or has left. */
  readonly taken: () => Promise<void>;
  /** Nodes inside of a fan-out, and the step each is at. */
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
    // A copy: who told it may continue with what it is made of.
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

  function left(): void {
    gone = true;
    queue.length = 0;
    idle.resolve();
  }

  async function taken(): Promise<void> {
    if (!gone && !ended && queue.length > 0) await idle.promise;
  }

  async function* events(): AsyncGenerator<RunEvent> {
    while (true) {
      // An event counts as taken when the next one is asked for.
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
    left,
    taken,
    end() {
      ended = true;
      wake.resolve();
    },
  };
}
