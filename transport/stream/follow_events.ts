/** Follows runtime events of a node across lost connections and reboots. */

import type { NodeClient } from "../call/client.ts";
import {
  follow,
  type FollowAttempt,
  type Followed,
  type FollowOptions,
  opened,
} from "./follow.ts";
import type { Event, EventsRequest } from "../gen/machine.ts";

interface FollowEventsOptions extends FollowOptions {
  /** Past events and actor filter; default only new events. */
  readonly request?: Partial<EventsRequest>;
  /** Aborts on interrupt; following then stops without an error. */
  readonly signal: AbortSignal;
}

const remembered = 1_000;

/**
 * Follows the events of a node. Source: `MachineService.Events`.
 *
 * After a lost connection it resumes after the last event, after a reboot with all events of the node.
 *
 * @param client Only its `machine.events` is used.
 * @returns Events, and a gap where the stream resumes.
 * @throws The error of opening or reading if a retry will not help.
 */
export function followEvents(
  { machine }: Pick<NodeClient, "machine">,
  { request = {}, now = () => new Date(), ...options }: FollowEventsOptions,
): AsyncGenerator<Followed<Event>> {
  const seen = recent();
  let openSince = now();

  async function* open({ reason, signal }: FollowAttempt) {
    // All events after a reboot are new, even with known ids.
    if (reason === "node rebooted") seen.clear();
    const start = reason === undefined ? request : resumeRequest(reason);
    let greeted = false;
    for await (const event of machine.events(start, { signal })) {
      if (!greeted) {
        greeted = true;
        if (reason === undefined) openSince = now();
        yield opened;
      }
      // A node first sends an event without a type, to signal that the stream is open.
      const hello = (event.data?.typeUrl ?? "") === "";
      if (seen.add(event.id) && !hello) yield event;
    }
  }

  function resumeRequest(
    reason: FollowAttempt["reason"],
  ): Partial<EventsRequest> {
    const { withActorId = "" } = request;
    const last = seen.last();
    if (reason === "node rebooted") return { withActorId, tailEvents: -1 };
    if (last !== undefined) return { withActorId, tailId: last };
    const seconds = (now().getTime() - openSince.getTime()) / 1000;
    return { withActorId, tailSeconds: Math.max(1, Math.ceil(seconds)) };
  }

  return follow({ ...options, now, open });
}

function recent() {
  const ids = new Set<string>();
  let last: string | undefined;
  return {
    last: () => last,
    clear(): void {
      ids.clear();
      last = undefined;
    },
    /** Returns false for a known id; an empty id is always new. */
    add(id: string): boolean {
      if (id === "") return true;
      if (ids.has(id)) return false;
      ids.add(last = id);
      const [oldest] = ids;
      if (ids.size > remembered && oldest !== undefined) ids.delete(oldest);
      return true;
    },
  };
}
