import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import {
  type SummaryRow,
  supportSummary,
} from "../../../workflows/support/support_summary.ts";
import { testCa } from "../../_test_ca.ts";
import { answering } from "../kubernetes/_answers.ts";
import {
  makeContext,
  resource,
  serviceReply,
  versionReply,
} from "../checks/_check_context.ts";
import { trusting } from "../checks/_trust.ts";

const now = new Date("2026-03-04T12:00:00Z");

function container(
  name: string,
  restartCount: number,
  finishedAt?: string,
  more: Readonly<Record<string, unknown>> = { state: { running: {} } },
) {
  const terminated = { finishedAt, reason: "Error", exitCode: 1 };
  const lastState = finishedAt === undefined ? {} : { terminated };
  return { name, restartCount, lastState, ...more };
}

function pod(name: string, ...containerStatuses: readonly unknown[]) {
  return {
    metadata: { namespace: "shop", name },
    status: { containerStatuses },
  };
}

const pages: Readonly<Record<string, unknown>> = {
  "/api/v1/nodes": {
    items: [
      { metadata: { name: "c1.lab" }, status: readyStatus("True") },
      { metadata: { name: "w1.lab" }, status: readyStatus("Unknown") },
    ],
  },
  "/api/v1/pods?limit=500": {
    metadata: { continue: "page/2" },
    items: [
      pod(
        "calm",
        container("web", 0),
        container("old", 9, "2026-03-01T12:00:00Z"),
      ),
      pod("cart", container("web", 3, "2026-03-04T11:30:00Z")),
    ],
  },
  "/api/v1/pods?limit=500&continue=page%2F2": {
    metadata: {},
    items: [
      pod(
        "pay",
        container("db", 41, "2026-03-01T12:00:00Z", {
          state: { waiting: { reason: "CrashLoopBackOff" } },
        }),
        container("wait", 0, undefined, {
          state: { waiting: { reason: "ContainerCreating" } },
        }),
        container("once", 1, undefined, {
          state: { waiting: { reason: "CrashLoopBackOff" } },
        }),
      ),
    ],
  },
};

function readyStatus(status: string) {
  return { conditions: [{ type: "Ready", status }] };
}

const lines = (rows: readonly SummaryRow[]) =>
  rows.map(({ topic, source, state, problem }) =>
    `${topic} ${source} ${state}: ${problem}`
  );

function kernelLog(...messages: readonly string[]) {
  return async function* () {
    yield { bytes: new TextEncoder().encode(messages.join("\n") + "\n") };
    await Promise.resolve();
  };
}

Deno.test("a summary has what is wrong with nodes, services, etcd, CAs, containers and the kernel, in this order", async () => {
  const [ending, ended, good] = await Promise.all([
    testCa(new Date("2026-03-20T00:00:00Z")),
    testCa(new Date("2026-03-01T00:00:00Z")),
    testCa(),
  ]);
  const trusted = trusting("controlplane", ending, [ended, good]);
  const running = resource({ stage: "running", status: { ready: true } });
  const errors = ["1", "2", "3", "4", "5"].map((at) =>
    `kern:     err: [2026-03-04T11:00:00.${at}Z]: disk ${at}`
  );
  const c1 = {
    get: (request: { readonly type: string }) =>
      request.type.startsWith("MachineStatuses")
        ? running
        : trusted.get?.(request),
    async *list() {
      yield await Promise.resolve(resource({ message: "no CSR is approved" }));
    },
    version: () => versionReply("v1.12.11"),
    serviceList: () => serviceReply({ apid: "!Running", etcd: "Running" }),
    dmesg: kernelLog(
      "kern:    crit: [2026-03-04T10:00:00.0Z]: too old to show",
      "kern:    info: [2026-03-04T10:00:00.0Z]: err: not an error",
      ...errors,
    ),
    read: kernelLog("boot"),
  };
  const w1 = { version: () => Promise.reject(new OsctlError("no answer")) };
  const context = makeContext({
    nodes: { c1, w1 },
    etcd: {
      members: ["a", "b"].map((id) => ({ id, name: id, learner: false })),
      healthy: ["a"],
      alarms: ["CORRUPT"],
    },
    cluster: { kubernetes: () => Promise.resolve(answering(pages)) },
  });
  const rows = await supportSummary({
    context,
    nodes: ["c1", "w1"],
    now,
    clientProblems: () => Promise.resolve(["Client certificate expires soon"]),
  });
  assert.deepEqual(lines(rows), [
    "nodes cluster problem: w1.lab is not ready in Kubernetes",
    "nodes c1 problem: no CSR is approved",
    "nodes w1 unknown: no answer",
    "services c1 problem: apid is not healthy (no answer)",
    "etcd cluster problem: etcd has the alarm CORRUPT; replace the member whose data is damaged: osctl etcd alarm list",
    "etcd cluster problem: 1 of 2 voters healthy, 2 needed",
    "certificates cluster problem: Client certificate expires soon",
    ...["the CA of the node API", "the CA of Kubernetes"].flatMap((name) => [
      `certificates cluster problem: ${name} expires on 2026-03-20, 2 weeks from now`,
      `certificates cluster problem: ${name} expired on 2026-03-01`,
    ]),
    "pods cluster problem: shop/cart: container web was restarted 3 times, last 30 minutes ago (Error, status 1)",
    "pods cluster problem: shop/pay: container db was restarted 41 times, last 3 days ago (Error, status 1, CrashLoopBackOff)",
    "pods cluster problem: shop/pay: container once was restarted once (CrashLoopBackOff)",
    ...errors.map((line) => `kernel c1 problem: ${line}`),
  ]);
});

Deno.test("a summary says what it cannot find out, once for each", async () => {
  const fail = (what: string) => () => Promise.reject(new OsctlError(what));
  const rows = await supportSummary({
    context: makeContext({ cluster: { kubernetes: fail("no Kubernetes") } }),
    nodes: [],
    now,
    clientProblems: fail("no client configuration"),
  });
  assert.deepEqual(lines(rows), [
    "nodes cluster unknown: no Kubernetes",
    "etcd cluster problem: no control plane reports its etcd state",
    "certificates cluster unknown: no client configuration",
    "certificates cluster unknown: Cannot read the CAs of the cluster: no control plane is known",
    "pods cluster unknown: no Kubernetes",
  ]);
});
