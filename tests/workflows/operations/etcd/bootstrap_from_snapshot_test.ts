import assert from "node:assert/strict";
import { untilResult } from "../_kubernetes_context.ts";
import { withFolder } from "../../../_folder.ts";
import {
  makeRecoveryContext,
  type Plane,
  running,
  waiting,
} from "../../etcd/recovery/_control_planes.ts";
import { RefusedError, RpcError } from "../../../../errors.ts";
import { bootstrapFromSnapshot } from "../../../../workflows/operations/etcd/bootstrap_from_snapshot.ts";

const input = { file: "/none", sha256: null, skipHashCheck: false, dead: [] };
const key = { sha256: "", bootId: "1" };
const { observe, plan, reconcile, verify, apply } = bootstrapFromSnapshot;

const starting: Plane = { service: "Starting", data: true, boot: "1" };
const forgotten: Plane = { service: "Preparing", data: false, boot: "2" };
const none: Plane = { service: "", data: false, boot: "1" };
const left: Plane = { service: "Preparing", data: true, boot: "1" };

Deno.test("an attempt is found by looking at the node and at all others", async () => {
  const cases = [
    ["running", [running], [waiting], "done"],
    ["nothing there", [waiting], [waiting], "not-started"],
    ["nothing there, others dead", [waiting], ["away"], "not-started"],
    ["booted since", [forgotten], [waiting], "not-started"],
    ["starting", [starting], [waiting], "in-progress"],
    ["away, then starting", ["away", starting], [waiting], "in-progress"],
    ["away for long", ["away"], [waiting], "unknown"],
    ["another runs", [waiting], [running], "unknown"],
    ["another has data", [running], [left], "unknown"],
  ] as const;
  for (const [name, own, other, expected] of cases) {
    const context = await makeRecoveryContext({ a: own, b: other }, {
      etcdMemberList: () => {
        throw new RpcError("UNAVAILABLE", "not now");
      },
    });
    assert.equal(await reconcile(context, input, key), expected, name);
    assert.equal(
      context.now(),
      name === "away for long"
        ? 60_000
        : name === "away, then starting"
        ? 1_000
        : 0,
    );
  }
});

Deno.test("others that have joined the new cluster are not second one", async () => {
  const lists = { mine: ["host-a", "host-b"], strange: ["host-a"] };
  for (const [name, list] of Object.entries(lists)) {
    const context = await makeRecoveryContext({
      a: [starting, running],
      b: [running],
    }, {
      etcdMemberList: () => ({
        messages: [{ members: list.map((hostname) => ({ hostname })) }],
      }),
    });
    const expected = name === "mine" ? "done" : "unknown";
    assert.equal(await reconcile(context, input, key), expected);
    assert.equal(context.now(), 1_000);
  }
});

Deno.test("etcd is rebuilt only where no other node has it, or is reported as dead", async () => {
  await withFolder({ db: "database" }, async (folder) => {
    const file = `${folder}/db`;
    async function planned(
      own: Plane,
      other: Plane,
      more: Partial<typeof input> = {},
    ) {
      const context = await makeRecoveryContext({ a: [own], b: [other] });
      const seen = await observe(context, { ...input, file, ...more });
      return plan(seen, input);
    }
    const action = [{ action: "recover etcd from the snapshot" }];
    assert.deepEqual(await planned(waiting, waiting), action);
    assert.deepEqual(
      await planned(waiting, "away", { dead: ["b"] as never }),
      action,
    );
    assert.deepEqual(
      await planned(waiting, "away", { dead: ["host-b"] as never }),
      action,
    );
    assert.deepEqual(await planned(running, waiting), []);
    const refused = [
      [waiting, running, {}, /b has etcd data \(S13\)/],
      [waiting, left, {}, /b has etcd data \(S13\)/],
      [waiting, "away", {}, /b does not report .*\(S13\)/],
      [none, waiting, {}, /is not a control plane/],
      [starting, waiting, {}, /already has etcd data/],
      [
        waiting,
        waiting,
        { sha256: "00" as never },
        /has changed since it was chosen/,
      ],
    ] as const;
    for (const [own, other, more, message] of refused) {
      await assert.rejects(
        () => planned(own, other, more),
        (error) => error instanceof RefusedError && message.test(error.message),
      );
    }
  });
});

Deno.test("the key holds the file's hash and the boot", async () => {
  await withFolder({ db: "database" }, async (folder) => {
    const context = await makeRecoveryContext({ a: [waiting] });
    const seen = await observe(context, { ...input, file: `${folder}/db` });
    assert.deepEqual(bootstrapFromSnapshot.key(seen, input), {
      // printf database | sha256sum
      sha256:
        "3549b0028b75d981cdda2e573e9cb49dedc200185876df299f912b79f69dabd8",
      bootId: "1",
    });
  });
});

Deno.test("the end is waited for; a boot that forgets the bootstrap is reported as not started", async () => {
  const cases = [
    [["away", starting, starting, running], {
      outcome: "done",
      reason: "etcd is running",
    }],
    [[starting, "away", forgotten], {
      outcome: "failed",
      reason: "the node rebooted during the bootstrap and lost it",
      code: "not-started",
    }],
    [[{ service: "Failed", data: true, boot: "1" }], {
      outcome: "failed",
      reason: "etcd failed on the node",
    }],
  ] as const;
  for (const [states, verdict] of cases) {
    const context = await makeRecoveryContext({ a: states });
    assert.deepEqual(await untilResult(verify(context, input, key)), verdict);
  }
  const context = await makeRecoveryContext({ a: ["away"] });
  const late = { ...context, signal: AbortSignal.abort() };
  assert.deepEqual(await untilResult(verify(late, input, key)), {
    outcome: "timed-out",
    reason: "the node does not answer",
  });
});

Deno.test("a node that says not yet is asked again, and one that has data already is checked", async () => {
  await withFolder({ db: "database" }, async (folder) => {
    const answers = [
      new RpcError("FAILED_PRECONDITION", "time is not in sync yet"),
      new RpcError("ALREADY_EXISTS", "etcd data directory is not empty"),
    ];
    const sent: string[] = [];
    const context = await makeRecoveryContext({ a: [waiting] }, {
      etcdRecover: async (parts: AsyncIterable<{ bytes: Uint8Array }>) => {
        for await (const { bytes } of parts) {
          sent.push(new TextDecoder().decode(bytes));
        }
        return { messages: [{}] };
      },
      bootstrap: (request: unknown) => {
        sent.push(JSON.stringify(request));
        throw answers.shift()!;
      },
    });
    const reported: string[] = [];
    const asked = { ...input, file: `${folder}/db`, skipHashCheck: true };
    for await (const { text } of apply(context, asked, key)) {
      reported.push(text);
    }
    assert.deepEqual(reported, [
      `sending ${folder}/db`,
      "bootstrapping",
      "waiting: time is not in sync yet",
    ]);
    const request = '{"recoverEtcd":true,"recoverSkipHashCheck":true}';
    assert.deepEqual(sent, ["database", request, request]);
    answers.push(new RpcError("PERMISSION_DENIED", "no"));
    await assert.rejects(async () => {
      for await (const _ of apply(context, asked, key));
    }, RpcError);
  });
});
