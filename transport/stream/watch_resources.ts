/** Watches resources across lost connections and reboots. */

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

/** Resources to watch. */
export interface WatchTarget {
  readonly namespace: string;
  readonly type: string;
  /** Resource id; default all of the type. */
  readonly id?: string;
}

/** A change of a resource. */
export interface ResourceChange {
  readonly event: "created" | "updated" | "destroyed";
  /** The resource after the change; the last state if it was destroyed. */
  readonly resource: Resource;
}

interface ResourceWatchOptions extends FollowOptions {
  /** Aborts on interrupt; watching then stops without an error. */
  readonly signal: AbortSignal;
}

/**
 * Watches resources; existing ones are reported as created.
 *
 * After a lost connection the watch resumes from the node's bookmark. If the bookmark has expired, all
 * resources are read again and only differences are reported.
 *
 * @param client Only its `state.watch` is used.
 * @returns Changes as they arrive, and a gap where the watch resumes.
 * @throws {RpcError} If the node rejects the watch, or a retry will not help.
 * @throws {OsctlError} If the node reports that the watch failed.
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
      // The first reply is empty and signals that the watch is established.
      yield opened;
      for (const event of events) {
        yield* seen.changesOf(event);
        // Resuming in the middle of the initial list would lose the rest.
        if (seen.complete()) bookmark = event.bookmark ?? bookmark;
      }
    }
  }

  yield* follow<ResourceChange>({ ...options, open });
}

/** True if the node rebooted or rejects the bookmark. */
function isLost({ reason, error }: FollowAttempt): boolean {
  return reason === "node rebooted" ||
    error instanceof RpcError && error.code === "FAILED_PRECONDITION";
}

/** Tracks seen resources, so that a new list yields only differences. */
function sightings(single: boolean) {
  const known = new Map<string, Resource>();
  let round = 0;
  /** Ids of the current list, until it is complete. */
  let fresh: Set<string> | undefined;

  function* listRemoved(): Generator<ResourceChange> {
    for (const [id, resource] of known) {
      if (fresh?.has(id)) continue;
      known.delete(id);
      yield { event: "destroyed", resource };
    }
    fresh = undefined;
  }

  function* toChanges(
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
    // With a single resource the list is complete.
    if (single) fresh = undefined;
    if (shown) yield { event: shown, resource };
  }

  function* readChanges(event: Event): Generator<ResourceChange> {
    if (event.eventType === EventType.ERRORED) throw watchError(event.error);
    if (event.eventType === EventType.BOOTSTRAPPED) return yield* listRemoved();
    const kind = kinds.get(event.eventType);
    if (kind !== undefined && event.resource !== undefined) {
      yield* toChanges(kind, event.resource);
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

/** Returns the change of a listed resource compared with its last state. */
function differing(
  event: ResourceChange["event"],
  before: Resource | undefined,
  resource: Resource,
): ResourceChange["event"] | undefined {
  if (event === "destroyed") return before && event;
  if (before === undefined) return event;
  return sameContent(before, resource) ? undefined : "updated";
}

function watchError(reason: string | undefined): OsctlError {
  return new OsctlError(
    `Cannot continue watching resources: ${
      reason || "the node gave no reason"
    }`,
  );
}

/** Compares contents: a reboot recreates resources with new times and versions. */
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
