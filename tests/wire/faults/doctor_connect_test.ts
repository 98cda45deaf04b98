import assert from "node:assert/strict";
import type { FaultName } from "../../../simulator/state/faults.ts";
import { withWire } from "../../_wire.ts";

const reported: readonly {
  readonly fault: FaultName;
  readonly stage: string;
  readonly cause: string;
  readonly detail: RegExp;
  readonly next: RegExp;
}[] = [{
  fault: "unavailable",
  stage: "tcp",
  cause: "refused",
  detail: /^the connection was refused$/,
  next: /^Check that the node is up/,
}, {
  fault: "server-cert-expired",
  stage: "validity",
  cause: "server-expired",
  detail: /^expired on \d{4}-/,
  next: /^Check the clock of this machine; it says \d{4}-/,
}, {
  fault: "server-cert-not-yet-valid",
  stage: "validity",
  cause: "server-not-yet-valid",
  detail: /^valid only from \d{4}-/,
  next: /^Check the clock of this machine; it says \d{4}-/,
}, {
  fault: "server-ca-changed",
  stage: "ca",
  cause: "wrong-ca",
  detail:
    /^signed by another CA with the same name as the context's CA, O=talos$/,
  next: /osctl config contexts$/,
}, {
  fault: "not-in-san",
  stage: "name",
  cause: "wrong-name",
  detail: /, not for "127\.0\.0\.1"$/,
  next: /machine\.certSANs with: osctl edit machineconfig$/,
}, {
  fault: "maintenance",
  stage: "mode",
  cause: "maintenance",
  detail: /^the node is in maintenance mode/,
  next: /osctl apply-config --insecure --nodes 127\.0\.0\.1 --file FILE$/,
}, {
  fault: "client-cert-refused",
  stage: "login",
  cause: "reset",
  detail: /after seeing the client certificate$/,
  next: /^Check that the context belongs to this cluster/,
}];

for (const { fault, stage, cause, detail, next } of reported) {
  Deno.test(`doctor connect explains the fault ${fault}`, async () => {
    await withWire({}, async ({ cluster, osctl, names: [node = ""] }) => {
      await cluster.setFault(node, fault);
      const { out, err, status } = await osctl("doctor connect -o jsonl");
      const rows = out.trimEnd().split("\n").map((line) => JSON.parse(line));
      const failed = rows.filter(({ result }) => result === "failed");
      assert.deepEqual(
        failed.map((row) => [row.stage, row.cause]),
        [[stage, cause]],
        err,
      );
      assert.match(failed[0].detail, detail);
      assert.match(failed[0].next, next);
      assert.ok(err.endsWith(`hint: ${failed[0].next}\n`), err);
      assert.equal(status, 1);
    });
  });
}

Deno.test("doctor connect and a failed call name the same cause", async () => {
  await withWire({}, async ({ cluster, osctl, names: [node = ""] }) => {
    for (const { fault, cause } of reported) {
      await cluster.setFault(node, fault);
      const { out } = await osctl("version -o jsonl");
      const row = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "");
      assert.equal(row.error?.code, cause, fault);
      await cluster.setFault(node, fault, false);
    }
  });
});

Deno.test("doctor connect warns of a node whose clock is wrong", async () => {
  await withWire({}, async ({ cluster, osctl, names: [node = ""] }) => {
    await cluster.setFault(node, "clock-skew");
    const { out, status } = await osctl("doctor connect");
    assert.match(
      out,
      /clock +warning +the node's clock is 3\d{3}\.\d s (behind|ahead of) this machine's/,
    );
    assert.equal(status, 0);
  });
});

Deno.test("doctor connect names the node that cannot be reached through a good endpoint", async () => {
  await withWire({ workers: 1 }, async ({ cluster, osctl, names }) => {
    const [endpoint = "", worker = ""] = names;
    await cluster.setFault(worker, "unavailable");
    const { out, err, status } = await osctl("doctor connect");
    assert.match(out, /nodes +ok +1 of 2 nodes answer/);
    assert.match(out, new RegExp(`nodes +failed +${worker}: `));
    assert.match(err, /hint: Check whether the node is up/);
    assert.notEqual(endpoint, worker);
    assert.equal(status, 1);
  });
});

Deno.test("doctor connect finds that an endpoint is a worker, and says to use a control plane", async () => {
  await withWire({ workers: 2 }, async ({ cluster, osctl, names }) => {
    const worker = cluster.listening.get(names[1]!);
    const next =
      "Use the address of a control plane node: -e ADDRESS, or for good with: osctl config endpoint ADDRESS";
    for (
      const [nodes, result, failing] of [
        ["@all", "failed", 1],
        [names[1], "warning", 0],
      ] as const
    ) {
      const { out, err, status } = await osctl(
        `doctor connect -e ${worker} -n ${nodes} -o jsonl`,
      );
      const rows = out.trimEnd().split("\n").map((line) => JSON.parse(line));
      const found = rows.filter((row) => row.cause !== undefined);
      assert.deepEqual(
        found.map(({ endpoint: _, ...row }) => row),
        [{
          stage: "nodes",
          result,
          detail: "it is a worker, which forwards no calls to other nodes",
          cause: "no-forwarding",
          next,
        }],
        err,
      );
      assert.equal(status, failing);
    }
  });
});
