import assert from "node:assert/strict";
import {
  directly,
  loadBalancerNotice,
  throughEndpoints,
} from "../../../transport/connect/node_route.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";

const note = () => {};
const none = { env: () => undefined, note };
const wrongProxy = {
  note,
  env: (name: string) => name === "HTTPS_PROXY" ? "ftp://proxy" : undefined,
};

const problems = [
  {
    title: "throughEndpoints without endpoints",
    reach: () => throughEndpoints([], {}, none),
    message: "No endpoints are known",
  },
  {
    title: "throughEndpoints with a wrong endpoint",
    reach: () => throughEndpoints(["10.0.0.1", "10.0.0.2:x"], {}, none),
    message:
      'Cannot use endpoint "10.0.0.2:x": port "x" is not a number from 1 to 65535',
  },
  {
    title: "throughEndpoints with a wrong proxy",
    reach: () => throughEndpoints(["10.0.0.1"], {}, wrongProxy),
    message: 'Cannot use proxy "ftp://proxy"',
  },
  {
    title: "directly with a wrong node",
    reach: () => directly([], none),
    message: 'Cannot use endpoint "10.0.0": "10.0.0" is not a host',
  },
] as const;

for (const { title, reach, message } of problems) {
  Deno.test(`${title} fails its check`, () => {
    assert.throws(() => reach().check(["10.0.0.1", "10.0.0"]), {
      name: "ConfigError",
      message,
    });
  });
}

Deno.test("clients carry the name of their node, the endpoint that of its host", () => {
  const { signal } = new AbortController();
  const cluster = throughEndpoints(["https://[fd00::1]"], {}, none);
  assert.equal(cluster.node("node1", { signal }).node, "node1");
  assert.equal(cluster.endpoint([], { signal }).node, "fd00::1");
  const maintenance = directly([], none);
  assert.equal(maintenance.node("10.0.0.1", { signal }).node, "10.0.0.1");
  assert.equal(
    maintenance.endpoint(["10.0.0.2", "10.0.0.1"], { signal }).node,
    "10.0.0.2",
  );
});

function watch() {
  const notes: string[] = [];
  const notice = loadBalancerNotice((text) => notes.push(text));
  return {
    notes,
    reach: (endpoint: string, peerName: string | undefined) =>
      notice({ endpoint: parseEndpoint(endpoint), peerName }),
  };
}

Deno.test("loadBalancerNotice reports once that an endpoint leads to another node than before", () => {
  const { notes, reach } = watch();
  reach("10.0.0.9", "cp1");
  assert.deepEqual(notes, []);
  reach("10.0.0.9", "cp2");
  reach("10.0.0.9", "cp1");
  assert.deepEqual(notes, [
    'warning: Endpoint "10.0.0.9:50000" leads to different nodes, "cp1" before and "cp2" now: use the addresses of nodes as endpoints',
  ]);
});

Deno.test("loadBalancerNotice is silent about a node that comes back, and about different endpoints", () => {
  const { notes, reach } = watch();
  reach("10.0.0.1", "cp1");
  reach("10.0.0.2", "cp2");
  reach("10.0.0.1", "cp1");
  reach("10.0.0.1", undefined);
  reach("10.0.0.1", "cp1");
  assert.deepEqual(notes, []);
});
