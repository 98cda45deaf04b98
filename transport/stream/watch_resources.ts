/** Resources as they change, over lost connections and reboots. */

import { OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import {
  follow,
  type FollowAttempt,
  type Followed,
  type FollowOptions,
  opened,
} from "./follow.ts";
import { type Event, EventType, type Resource } from "../gen/cosi_resource.ts";

/** What is watched. */
export interface WatchTarget {
  readonly namespace: string;
  readonly type: string;
  /** One resource; omitted, all of the type. */
  readonly id?: string;
}

/** One change of a resource. */
export interface ResourceChange {
  readonly event: "created" | "updated" | "destroyed";
  /** The resource after it; before it when it was destroyed. */
  readonly resource: Resource;
}

interface ResourceWatchOptions extends FollowOptions {
  /** Aborts when the user interrupts; watching then ends without an error. */
  readonly signal: AbortSignal;
}

/**
 * Watches resources; those there are count as created.
 *
 * After a break the watch continues where it was, by the node's bookmark. When the node knows the bookmark no
 * more, all resources are read again and only what differs from before is given.
 *
 * @param client Only its `state.watch` is used.
 * @returns Changes as they come, and a gap where the watch continues after a break.
 * @throws {RpcError} When the node refuses, or trying again cannot help.
 * @throws {OsctlError} When the node says that watching failed.
 */
export async function* watchResources(
  client: Pick<NodeClient, "state">,
  target: WatchTarget,
  options: ResourceWatchOptions,
): AsyncGenerator<Followed<ResourceChange>> {
  const seen = sightings(target.id !== undefined);
  let bookmark: Uint8Array | undefined;

  async function* open(attempt: FollowAttempt) {
    if (isLost(attempt)) bookmark = undefined;
    const anew = bookmark === undefined;
    if (anew) seen.startAnew();
    const answers = client.state.watch({
      ...target,
      apiVersion: 1,
      options: anew
        ? { bootstrapContents: target.id === undefined }
        : { startFromBookmark: bookmark },
    }, { signal: attempt.signal });
    for await (const { event: events } of answers) {
      // The first answer is empty and says that the watch is established.
      yield opened;
      for (const event of events) {
        yield* seen.changesOf(event);
        // Resuming half-way through what is there would lose the other half.
        if (seen.complete()) bookmark = event.bookmark ?? bookmark;
      }
    }
  }

  yield* follow<ResourceChange>({ ...options, open });
}

/** A node that booted, or refuses the bookmark, has nothing to resume. */
function isLost({ reason, error }: FollowAttempt): boolean {
  return reason === "node rebooted" ||
    error instanceof RpcError && error.code === "FAILED_PRECONDITION";
}

/** What was seen so far, so that reading all again gives only what differs. */
function sightings(single: boolean) {
  const known = new Map<string, Resource>();
  let round = 0;
  /** Ids of this round, until all that is there was read. */
  let fresh: Set<string> | undefined;

  function* rest(): Generator<ResourceChange> {
    for (const [id, resource] of known) {
      if (fresh?.has(id)) continue;
      known.delete(id);
      yield { event: "destroyed", resource };
    }
    fresh = undefined;
  }

  function* changed(
    event: ResourceChange["event"],
    resource: Resource,
  ): Generator<ResourceChange> {
    const id = resource.metadata?.id ?? "";
    const before = known.get(id);
    if (event === "destroyed") known.delete(id);
    else known.set(id, resource);
    const shown = fresh === undefined || round === 1
      ? event
      : differing(event, before, resource);
    fresh?.add(id);
    // One resource is all there is to read.
    if (single) fresh = undefined;
    if (shown) yield { event: shown, resource };
  }

  function* readChanges(event: Event): Generator<ResourceChange> {
    if (event.eventType === EventType.ERRORED) throw failed(event.error);
    if (event.eventType === EventType.BOOTSTRAPPED) return yield* rest();
    const kind = kinds.get(event.eventType);
    if (kind !== undefined && event.resource !== undefined) {
      yield* changed(kind, event.resource);
    }
  }

  return {
    startAnew() {
      round++;
      fresh = new Set();
    },
    complete: () => fresh === undefined,
    changesOf: readChanges,
  };
}

/** What a resource that is read again amounts to, compared with before. */
function differing(
  event: ResourceChange["event"],
  before: Resource | undefined,
  resource: Resource,
): ResourceChange["event"] | undefined {
  if (event === "destroyed") return before && event;
  if (before === undefined) return event;
  return sameContent(before, resource) ? undefined : "updated";
}

function failed(reason: string | undefined): OsctlError {
  return new OsctlError(
    `Cannot continue watching resources: ${
      reason || "the node gave no reason"
    }`,
  );
}

/** A boot makes resources anew: times and versions differ, and mean nothing. */
function sameContent(a: Resource, b: Resource): boolean {
  return renderContent(a) === renderContent(b);
}

function renderContent({ metadata, spec }: Resource): string {
  const { phase, owner, finalizers, labels, annotations } = metadata ?? {};
  return JSON.stringify([
    spec?.yamlSpec,
    phase,
    owner,
    finalizers,
    ...[labels, annotations].map((map = {}) => Object.entries(map).sort()),
  ]);
}

const kinds: ReadonlyMap<EventType, ResourceChange["event"]> = new Map([
  [EventType.CREATED, "created"],
  [EventType.UPDATED, "updated"],
  [EventType.DESTROYED, "destroyed"],
]);
