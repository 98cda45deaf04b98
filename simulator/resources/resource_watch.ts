/** Watches of resources: initial contents if requested, then every change. */

import { RpcError } from "../../errors.ts";
import {
  Event,
  EventType,
  type WatchOptions,
  type WatchRequest,
} from "../../transport/gen/cosi_resource.ts";
import { encodeResource } from "./resource_encoding.ts";
import { matcher, type Matches } from "./resource_queries.ts";
import type {
  NodeResources,
  ResourceKey,
  StoredResource,
  StoredResourceChange,
} from "./resources.ts";
import { overrun, readHistory } from "../wire/history_buffer.ts";

/**
 * Watches one resource or all of a kind.
 *
 * @param cookie Identifies bookmarks of this boot; 8 bytes.
 * @returns Groups of events that are sent together.
 * @throws {RpcError} FAILED_PRECONDITION if a bookmark is of another boot or too old.
 */
export function watch(
  resources: NodeResources,
  request: WatchRequest,
  { cookie, signal }: {
    readonly cookie: Uint8Array;
    readonly signal: AbortSignal;
  },
): AsyncIterable<readonly Event[]> {
  const options = { ...noOptions, ...request.options };
  checkOptions(request, options);
  const matches = matching(request, options);
  const from = findStart(resources, matches, options, cookie);
  const first = initialEvents(resources, request, options, matches);
  const mark = (position: number) => bookmark(cookie, position);
  return (async function* () {
    const bootstrap = first.map((event) =>
      event.eventType === EventType.BOOTSTRAPPED ||
        event.eventType === EventType.NOOP
        ? { ...event, bookmark: mark(from - 1) }
        : event
    );
    if (options.aggregated && bootstrap.length > 0) yield bootstrap;
    else for (const event of bootstrap) yield [event];
    let position = from;
    const { changes } = resources;
    for await (
      const change of readHistory(changes, from, { follow: true, signal })
    ) {
      if (change === overrun) return yield [overrunEvent(request)];
      const event = toEvent(change, matches);
      if (event) yield [{ ...event, bookmark: mark(position) }];
      position++;
    }
  })();
}

const noOptions: WatchOptions = {
  bootstrapContents: false,
  tailEvents: 0,
  labelQuery: [],
  idQuery: undefined,
  aggregated: false,
  startFromBookmark: undefined,
  bootstrapBookmark: false,
};

function checkOptions({ id }: WatchRequest, options: WatchOptions): void {
  const { bootstrapContents, labelQuery, tailEvents, startFromBookmark } =
    options;
  if (id !== undefined && bootstrapContents) {
    throw new RpcError(
      "UNIMPLEMENTED",
      "bootstrap contents is not implemented for resource watch",
    );
  }
  if (id !== undefined && labelQuery.length > 0) {
    throw new RpcError(
      "UNIMPLEMENTED",
      "label query is not implemented for resource watch",
    );
  }
  if (bootstrapContents && (tailEvents > 0 || startFromBookmark)) {
    throw new RpcError(
      "UNKNOWN",
      "cannot use BootstrapContents with TailEvents and StartFromBookmark options",
    );
  }
  if (startFromBookmark && tailEvents > 0) {
    throw new RpcError(
      "UNKNOWN",
      "cannot use both TailEvents and StartFromBookmark options",
    );
  }
}

function matching(request: WatchRequest, options: WatchOptions): Matches {
  const asked = matcher(options);
  return (resource) =>
    resource.namespace === request.namespace &&
    resource.type === request.type &&
    (request.id === undefined || resource.id === request.id) &&
    asked(resource);
}

/** Finds the position in the changes at which the watch starts. */
function findStart(
  { changes }: NodeResources,
  matches: Matches,
  { tailEvents, startFromBookmark }: WatchOptions,
  cookie: Uint8Array,
): number {
  if (startFromBookmark) {
    const position = parsePosition(startFromBookmark, cookie);
    if (
      position === undefined || position < changes.first() - 1 ||
      position >= changes.end()
    ) {
      throw new RpcError("FAILED_PRECONDITION", "invalid watch bookmark");
    }
    return position + 1;
  }
  let position = changes.end();
  for (let found = 0; found < tailEvents && position > changes.first();) {
    position--;
    if (matches(changes.at(position).resource)) found++;
  }
  return position;
}

function initialEvents(
  resources: NodeResources,
  { namespace, type, id }: WatchRequest,
  options: WatchOptions,
  matches: Matches,
): readonly Event[] {
  const { tailEvents, startFromBookmark } = options;
  const kind = { namespace, type };
  const absent = tombstone({ ...kind, id: id ?? "" });
  if (id !== undefined) {
    if (tailEvents > 0 || startFromBookmark) return [];
    const resource = resources.get({ ...kind, id });
    return [
      resource
        ? event(EventType.CREATED, resource)
        : event(EventType.DESTROYED, absent),
    ];
  }
  const contents = options.bootstrapContents
    ? [
      ...resources.list(kind).filter(matches).map((resource) =>
        event(EventType.CREATED, resource)
      ),
      event(EventType.BOOTSTRAPPED, absent),
    ]
    : [];
  return options.bootstrapBookmark
    ? [...contents, event(EventType.NOOP, absent)]
    : contents;
}

/** Converts a change to an event of a filtered watch. */
function toEvent(
  change: StoredResourceChange,
  matches: Matches,
): Event | undefined {
  const { resource } = change;
  if (change.kind !== "updated") {
    const type = change.kind === "created"
      ? EventType.CREATED
      : EventType.DESTROYED;
    return matches(resource) ? event(type, resource) : undefined;
  }
  const [before, after] = [matches(change.old), matches(resource)];
  if (before && after) {
    return {
      ...event(EventType.UPDATED, resource),
      old: encodeResource(change.old),
    };
  }
  if (before) return event(EventType.DESTROYED, resource);
  return after ? event(EventType.CREATED, resource) : undefined;
}

function event(eventType: EventType, resource: StoredResource): Event {
  return Event.fromPartial({ eventType, resource: encodeResource(resource) });
}

function tombstone(key: ResourceKey): StoredResource {
  return { ...key, spec: undefined, version: 0, created: 0, updated: 0 };
}

function overrunEvent({ namespace, type }: WatchRequest): Event {
  const error = `buffer overrun: namespace "${namespace}" type "${type}"`;
  return Event.fromPartial({ eventType: EventType.ERRORED, error });
}

function bookmark(cookie: Uint8Array, position: number): Uint8Array {
  const bytes = new Uint8Array(16);
  bytes.set(cookie);
  new DataView(bytes.buffer).setBigInt64(8, BigInt(position));
  return bytes;
}

function parsePosition(
  bytes: Uint8Array,
  cookie: Uint8Array,
): number | undefined {
  if (bytes.length !== 16) return undefined;
  if (cookie.some((byte, index) => bytes[index] !== byte)) return undefined;
  const { buffer, byteOffset } = bytes;
  return Number(new DataView(buffer, byteOffset).getBigInt64(8));
}
