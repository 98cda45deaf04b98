import assert from "node:assert/strict";
import { parseEndpoint } from "../../transport/endpoint.ts";
import { moveNotice } from "../../transport/move_notice.ts";

function watch() {
  const notes: string[] = [];
  const notice = moveNotice((text) => notes.push(text));
  return {
    notes,
    reach: (endpoint: string, peerName: string | undefined) =>
      notice({ endpoint: parseEndpoint(endpoint), peerName }),
  };
}

Deno.test("moveNotice tells once that an endpoint leads to another node than before", () => {
  const { notes, reach } = watch();
  reach("10.0.0.9", "cp1");
  assert.deepEqual(notes, []);
  reach("10.0.0.9", "cp2");
  reach("10.0.0.9", "cp1");
  assert.deepEqual(notes, [
    'warning: Endpoint "10.0.0.9:50000" leads to different nodes, "cp1" before and "cp2" now: use the addresses of nodes as endpoints',
  ]);
});

Deno.test("moveNotice is silent about a node that comes back, and about different endpoints", () => {
  const { notes, reach } = watch();
  reach("10.0.0.1", "cp1");
  reach("10.0.0.2", "cp2");
  reach("10.0.0.1", "cp1");
  reach("10.0.0.1", undefined);
  reach("10.0.0.1", "cp1");
  assert.deepEqual(notes, []);
});
