/** A small snapshot of etcd, with a branch page, a value over several pages and every kind of fact. */

import {
  branch,
  bucket,
  type Bytes,
  database,
  type Element,
  inline,
  leaf,
  number,
} from "./_bolt.ts";

/**
 * Writes a revision.
 *
 * @param main Number of the transaction.
 * @param deleted True for a deletion.
 */
export function revision(main: number, deleted = false): Bytes {
  return `${bigEndian(main)}_${bigEndian(0)}${deleted ? "t" : ""}`;
}

/**
 * Writes what a revision holds: key, three numbers, value.
 *
 * @param key The key, shorter than 128 bytes.
 * @param value The value; `undefined` for a deletion.
 */
export function toText(key: string, value?: string): Bytes {
  const start = `\x0a${number(1, key.length)}${key}`;
  if (value === undefined) return start;
  const size = value.length < 128
    ? number(1, value.length)
    : number(1, value.length & 127 | 128) + number(1, value.length >> 7);
  return `${start}\x10\x02\x18\x02\x20\x01\x2a${size}${value}`;
}

/**
 * Writes a number of eight bytes, the highest first.
 *
 * @param value Not negative.
 */
export function bigEndian(value: number): Bytes {
  return [...number(8, value)].reverse().join("");
}

/** Two members, of which one has not started. */
const members: readonly Element[] = [
  [
    "8e9e05c52164694d",
    '{"id":10276657743932975437,"peerURLs":["http://10.0.0.2:2380"],"name":"one","clientURLs":["http://10.0.0.2:2379"]}',
  ],
  [
    "91bc3c398fb3c14",
    '{"id":656373537953725460,"peerURLs":["http://10.0.0.3:2380"],"isLearner":true}',
  ],
];

/** Two keys live, one was overwritten, one deleted. */
const early: readonly Element[] = [
  [revision(2), toText("a", "1")],
  [revision(3), toText("b", "2")],
  [revision(4), toText("a", "3")],
];
const late: readonly Element[] = [
  [revision(5), toText("c", "x".repeat(3000))],
  [revision(6, true), toText("b")],
];

/** The database without its trailer; pages 2 to 8, 4 and 5 to 8 below 3. */
export const snapshotDatabase: Uint8Array<ArrayBuffer> = database([
  leaf([
    inline("cluster", [["clusterVersion", "3.6.0"]]),
    bucket("key", 3),
    inline("members", members),
    inline("members_removed", [["a1", "removed"]]),
    inline("meta", [
      ["consistent_index", bigEndian(12)],
      ["finishedCompactRev", revision(2)],
      ["storageVersion", "3.6.0"],
      ["term", bigEndian(3)],
    ]),
  ]),
  branch([[revision(2), 4], [revision(5), 5]]),
  leaf(early),
  leaf(late),
]);
