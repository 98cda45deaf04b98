/** Changes of objects as a stream, as `?watch=true` asks for them. */

import {
  type ApiAnswer,
  fieldsOf,
  type KubeObject,
  listOf,
} from "./objects.ts";

/** Time between two looks, in milliseconds. */
const lookMs = 100;

/** What a watch needs. */
export interface WatchOptions {
  /** Lists the objects that are watched. */
  readonly list: () => ApiAnswer;
  /** Changes up to this one are known to the client; empty to be sent everything. */
  readonly since: string;
  /** True to say with a bookmark when everything that is there was sent. */
  readonly bookmark: boolean;
  /** Waits, in milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborts when the client has gone, or its time is over. */
  readonly signal: AbortSignal;
}

/** One change. */
export interface WatchEvent {
  /** What happened. */
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  /** The object; as it was last when it is gone. */
  readonly object: unknown;
}

/** Tells every change until it is aborted, or the server fails. */
export async function* watchObjects(
  { list, since, bookmark, sleep, signal }: WatchOptions,
): AsyncGenerator<WatchEvent> {
  let seen = Number(since || 0);
  let known = new Map<string, KubeObject>();
  let isFirst = true;
  while (!signal.aborted) {
    const { code, body } = list();
    if (code !== 200) return;
    const { apiVersion, kind, items, metadata } = fieldsOf(body);
    // What a list holds.
    const objects = listOf(items) as unknown as readonly KubeObject[];
    const now = new Map(objects.map((one) => [one.metadata.uid, one]));
    for (const [uid, object] of now) {
      if (Number(object.metadata.resourceVersion) <= seen) continue;
      const isNew = isFirst ? since === "" : !known.has(uid);
      yield { type: isNew ? "ADDED" : "MODIFIED", object };
    }
    for (const [uid, object] of known) {
      if (!now.has(uid)) yield { type: "DELETED", object };
    }
    if (bookmark && isFirst) {
      const object = {
        apiVersion,
        kind: String(kind).replace(/List$/, ""),
        metadata: {
          ...fieldsOf(metadata),
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      };
      yield { type: "BOOKMARK", object };
    }
    seen = Number(fieldsOf(metadata).resourceVersion ?? seen);
    known = now;
    isFirst = false;
    await sleep(lookMs);
  }
}
