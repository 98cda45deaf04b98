import assert from "node:assert/strict";
import {
  resourceColumns,
  resourceRow,
} from "../../../commands/_resources/resource_row.ts";
import { Resource } from "../../../transport/gen/cosi_resource.ts";
import type { ResourceType } from "../../../transport/node/resource_types.ts";
import { definitionsFor } from "../../../simulator/resources/resource_definitions.ts";
import { resource } from "../_resources.ts";

const type: ResourceType = {
  id: "links.net.talos.dev",
  type: "Links.net.talos.dev",
  displayType: "Link",
  defaultNamespace: "network",
  sensitive: false,
  allAliases: [],
  printColumns: [
    { name: "Peer Names", jsonPath: "{.peers[*].name}" },
    { name: "Flags", jsonPath: "{.flags}" },
    { name: "Gone", jsonPath: "{.gone}" },
  ],
};

const link = Resource.fromPartial(resource({
  id: "eth0",
  spec: "peers: [{name: b}, {name: a}]\nflags: {z: 1, a: [x]}\ngone: null\n",
}));

Deno.test("resourceRow sorts keys at every depth, or keeps the node's order", () => {
  const sorted = resourceRow("n", link, { type, format: "json" });
  assert.deepEqual(Object.keys(sorted), ["metadata", "node", "spec"]);
  assert.deepEqual(Object.keys(sorted.spec as object), [
    "flags",
    "gone",
    "peers",
  ]);
  const natural = resourceRow("n", link, { type, format: "yaml" });
  assert.deepEqual(Object.keys(natural), ["node", "metadata", "spec"]);
  assert.deepEqual(Object.keys(natural.spec as object), [
    "peers",
    "flags",
    "gone",
  ]);
  assert.deepEqual(sorted, natural);
});

Deno.test("resourceRow leaves empty labels, annotations and finalizers out", () => {
  const { metadata } = resourceRow("n", link, { type, format: "yaml" });
  assert.deepEqual(Object.keys(metadata), [
    "namespace",
    "type",
    "id",
    "version",
    "owner",
    "phase",
    "created",
    "updated",
  ]);
});

Deno.test("resourceRow takes an answer without metadata or spec", () => {
  const row = resourceRow("n", Resource.create(), { type, format: "table" });
  assert.deepEqual([row.metadata.id, row.metadata.created, row.spec], [
    "",
    "",
    null,
  ]);
});

Deno.test("resourceColumns writes lists and mappings as JSON with sorted keys", () => {
  const row = resourceRow("n", link, { type, format: "yaml" });
  const columns = resourceColumns(row).slice(-3);
  assert.deepEqual(
    columns.map(({ header, cell }) => [header, cell(row)]),
    [["PEER NAMES", "b a"], ["FLAGS", '{"a":["x"],"z":1}'], ["GONE", ""]],
  );
});

Deno.test("resourceColumns never drops node and id, and what is the same in every row first", () => {
  const columns = resourceColumns(
    resourceRow("n", link, { type, format: "json" }),
  );
  const names = columns.filter(({ name }) => name);
  assert.deepEqual(names.map(({ header }) => header), ["NODE", "ID"]);
  const first = columns.toSorted((a, b) =>
    (b.priority ?? 0) - (a.priority ?? 0)
  ).slice(0, 3).map(({ header }) => header);
  assert.deepEqual(first, ["NAMESPACE", "TYPE", "VERSION"]);
});

Deno.test("every table of resources has each header once, whatever its type", () => {
  const repeated = [9, 12, 14].flatMap((minor) =>
    [...definitionsFor(minor).values()].filter((definition) => {
      const row = resourceRow("n", link, {
        type: { ...definition, id: definition.type, sensitive: false },
        format: "table",
      });
      const headers = resourceColumns(row).map(({ header }) => header);
      return new Set(headers).size < headers.length;
    }).map((definition) => definition.type)
  );
  assert.deepEqual(repeated, []);
});
