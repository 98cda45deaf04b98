/** Keys in a database of the modelled etcd, for tests. */

import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { EtcdDatabase } from "../../../simulator/etcd/database.ts";

/** Keys with their last values. */
export function readKeys(
  { history }: EtcdDatabase,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [key, record] of history) {
    const { name, value } = readRecord(record);
    // A deletion is marked behind the revision.
    if (key.length > 17) found.delete(name);
    else found.set(name, value);
  }
  return found;
}

/** Source: message `mvccpb.KeyValue`. */
function readRecord(
  record: Uint8Array,
): { readonly name: string; readonly value: string } {
  const reader = new BinaryReader(record);
  const found = { name: "", value: "" };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 10) found.name = reader.string();
    else if (tag === 42) found.value = reader.string();
    else reader.skip(tag & 7);
  }
  return found;
}
