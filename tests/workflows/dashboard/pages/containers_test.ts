import assert from "node:assert/strict";
import type { ContainerInfo } from "../../../../transport/gen/machine_container.ts";
import {
  containers,
  logTail,
} from "../../../../workflows/dashboard/feeds/all.ts";
import { containersPage } from "../../../../workflows/dashboard/pages/containers.ts";
import { makeData, pageContext, renderPage } from "../_data.ts";

const node = "10.0.0.2";

/** Fields that no page shows. */
const unused = { networkNamespace: "", internalId: "", uid: "" };

const coredns = "kube-system/coredns-abc:coredns:0123456789ab";

const known: readonly ContainerInfo[] = [
  {
    ...unused,
    namespace: "k8s.io",
    id: coredns,
    podId: "kube-system/coredns-abc",
    name: "coredns",
    image: "registry.k8s.io/coredns:v1.12.0",
    pid: 2630,
    status: "CONTAINER_RUNNING",
  },
  {
    ...unused,
    namespace: "system",
    id: "apid",
    podId: "apid",
    name: "apid",
    image: "talos/apid",
    pid: 0,
    status: "STOPPED",
  },
];

const data = makeData([
  [node, containers, { value: known }],
  [node, logTail(coredns, true), { value: { lines: ["one"], dropped: 0 } }],
  [node, logTail("apid"), { value: { lines: ["two"], dropped: 0 } }],
]);

Deno.test("Containers lists those of Kubernetes and of the system, and shows one with its log", () => {
  const context = pageContext(data, { columns: 120 });
  assert.deepEqual(renderPage(containersPage, context), [
    "POD                      CONTAINER  STATUS   PID   NAMESPACE  IMAGE",
    "kube-system/coredns-abc  coredns    running  2630  k8s.io     registry.k8s.io/coredns:v1.12.0",
    "-                        apid       stopped  -     system     talos/apid",
  ]);
  const [first = "", second = ""] = containersPage.draw(context).rows
    .map(({ id }) => id);
  const one = { ...context, path: [first] };
  assert.deepEqual(renderPage(containersPage, one), [
    "POD       kube-system/coredns-abc",
    "CONTAINER coredns",
    "STATUS    running",
    "PID       2630",
    "NAMESPACE k8s.io",
    "IMAGE     registry.k8s.io/coredns:v1.12.0",
    "Log",
    "one",
  ]);
  assert.deepEqual(
    renderPage(containersPage, { ...context, path: [second] }).at(-1),
    "two",
  );
  // Its log goes on when the container has gone.
  const gone = { ...one, data: makeData([[node, containers, { value: [] }]]) };
  assert.equal(renderPage(containersPage, gone)[0], "POD       n/a");
  assert.deepEqual(containersPage.needs(one).map(({ feed }) => feed), [
    containers,
    logTail(coredns, true),
  ]);
});

Deno.test("Containers cuts long names of pods rather than the status", () => {
  const podId = "kube-system/kube-controller-manager-controlplane-1";
  const name = "kube-controller-manager";
  const long = { ...known[0]!, id: `${podId}:${name}:01`, podId, name };
  const narrow = pageContext(
    makeData([[node, containers, { value: [long] }]]),
    { columns: 60 },
  );
  assert.deepEqual(renderPage(containersPage, narrow), [
    "POD                       CONTAINER                STATUS",
    "kube-sy…r-controlplane-1  kube-controller-manager  running",
  ]);
});
