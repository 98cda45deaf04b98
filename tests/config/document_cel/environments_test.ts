import assert from "node:assert/strict";
import {
  environments,
  isForeign,
} from "../../../config/document_cel/environments.ts";
import { typeText } from "../../../config/document_cel/types.ts";

Deno.test("environments know their variables by type", () => {
  const { disk, link, "oom-trigger": trigger, "oom-ranking": ranking } =
    environments;
  const types = [
    disk.names.get("system_disk"),
    disk.names.get("EiB"),
    disk.records.get("disk")?.get("symlinks"),
    link.records.get("link")?.get("hardware_addr"),
    trigger.names.get("d_qos_memory_full_avg300"),
    ranking.names.get("memory_peak"),
  ].map((type) => type && typeText(type));
  assert.deepEqual(types, [
    "bool",
    "uint",
    "list(string)",
    "bytes",
    "map(int, double)",
    "optional(uint)",
  ]);
  assert.equal(link.names.has("GiB"), false);
});

Deno.test("every field of a record is of a type that is known", () => {
  for (const { records } of Object.values(environments)) {
    const known = new Set([
      ..."bool bytes double duration int string uint".split(" "),
      ...records.keys(),
    ]);
    for (const fields of records.values()) {
      for (const [field, type] of fields) {
        assert.ok(known.has((type.parts[0] ?? type).name), field);
      }
    }
  }
});

Deno.test("the pressure of memory is measured in 8 ways, each with its change", () => {
  const names = [...environments["oom-trigger"].names.keys()];
  assert.equal(
    names.filter((name) => /^(d_)?memory_/.test(name)).length,
    16,
  );
  assert.equal(names.filter((name) => /^(d_)?qos_/.test(name)).length, 22);
});

Deno.test("isForeign knows the node's own types by their packages", () => {
  const { disk, link } = environments;
  assert.equal(isForeign("google.protobuf.Duration", disk), true);
  assert.equal(isForeign("google.protobuf", disk), false);
  assert.equal(isForeign("common.NetIP", link), true);
  assert.equal(isForeign("common.NetIP", disk), false);
  assert.equal(
    isForeign("talos.resource.definitions.block.DiskSpec", disk),
    true,
  );
});
