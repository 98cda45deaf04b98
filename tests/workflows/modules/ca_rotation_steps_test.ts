import assert from "node:assert/strict";
import { onCluster, type Runner } from "../_step_context.ts";
import type {
  ClusterOptions,
  RunningCluster,
} from "../../../simulator/cluster/cluster.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../../../transport/gen/machine.ts";
import { readMachineConfiguration } from "../../../transport/node/machine_configuration.ts";
import { withAccepted } from "../../../workflows/ca/trust_list.ts";
import {
  caAccept,
  caIssue,
} from "../../../workflows/modules/ca_rotation_steps.ts";
import { testCa } from "../../_test_ca.ts";
import { toStepContext } from "../../../workflows/modules/ca_rotation_readiness.ts";
import type { NodeContext } from "../../../workflows/operations/operation.ts";

async function withExchange(
  kind: "os" | "kubernetes",
  options: ClusterOptions,
  test: (
    runner: Runner,
    input: { kind: string; ca: { secret: string } },
    cluster: RunningCluster,
  ) => Promise<void>,
): Promise<void> {
  await onCluster(options, async (runner, cluster) => {
    await runner.read("ca.generate", { kind });
    const ca = { secret: `ca.${kind}` };
    if (kind === "os") await runner.read("osconfig.issue", { ca });
    await test(runner, { kind, ca }, cluster);
  });
}

async function texts({ context }: Runner, { nodes }: RunningCluster) {
  return await Promise.all(nodes.map(async ({ identity: { address } }) => {
    const { client } = await context(address);
    return await readMachineConfiguration(client);
  }));
}

for (const kind of ["os", "kubernetes"] as const) {
  Deno.test(`the ${kind} CA is rotated on all nodes; each step can be done again`, async () => {
    await withExchange(
      kind,
      { workers: 1 },
      async ({ changeAll, read, ring }, input) => {
        const done = ["done", "done"];
        const unchanged = done.map(() => "unchanged");
        const drop = { kind, which: "old" };
        assert.deepEqual(await changeAll("ca.accept", input), done);
        assert.deepEqual(await changeAll("ca.accept", input), unchanged);
        assert.deepEqual(await changeAll("ca.issue", input), done);
        assert.deepEqual(await changeAll("ca.issue", input), unchanged);
        assert.deepEqual(await changeAll("ca.drop", drop), done);
        assert.deepEqual(await changeAll("ca.drop", drop), unchanged);
        assert.deepEqual(await changeAll("ca.issue", input), unchanged);
        assert.deepEqual(await changeAll("ca.accept", input), unchanged);
        if (kind === "kubernetes") return;
        const refused = await read("ca.verify", {
          group: "all",
          server: "new",
          expect: "refused",
        });
        assert.deepEqual(refused, { ok: 4, total: 4, failures: [] });
        assert.deepEqual(ring.names(), ["final", "transitional", "context"]);
      },
    );
  });

  Deno.test(`the ${kind} CA is reverted before it issues, byte for byte`, async () => {
    await withExchange(
      kind,
      { controlplanes: 1, workers: 1 },
      async (runner, input, cluster) => {
        // Nodes lay out what they are given; from then on every byte counts.
        const drop = { kind, which: "new" };
        await runner.changeAll("ca.accept", input);
        await runner.changeAll("ca.drop", drop);
        const before = await texts(runner, cluster);
        const done = ["done", "done"];
        assert.deepEqual(await runner.changeAll("ca.accept", input), done);
        assert.notDeepEqual(await texts(runner, cluster), before);
        assert.deepEqual(await runner.changeAll("ca.drop", drop), done);
        assert.deepEqual(await texts(runner, cluster), before);
        assert.deepEqual(
          await runner.changeAll("ca.drop", drop),
          ["unchanged", "unchanged"],
        );
      },
    );
  });
}

Deno.test("steps of a rotation are refused out of order", async () => {
  await withExchange(
    "os",
    { controlplanes: 2, workers: 1 },
    async ({ change }, input) => {
      const [first, second, worker] = ["10.5.0.2", "10.5.0.3", "10.5.0.4"];
      async function refused(
        name: string,
        values: Record<string, string | { secret: string }>,
        node: string,
        reason: RegExp,
      ) {
        const verdict = await change(name, values, node);
        assert.equal(verdict.outcome, "refused");
        assert.match(verdict.reason, reason);
      }
      const old = { kind: "os", which: "old" };
      const back = { kind: "os", which: "new" };
      await refused("ca.issue", input, first!, /does not accept/);
      await change("ca.accept", input, first!);
      await refused(
        "ca.issue",
        input,
        first!,
        /new CA is not accepted everywhere: 10\.5\.0\.3 is old; 10\.5\.0\.4 is old/,
      );
      await refused("ca.drop", old, first!, /The old CA still issues/);
      await change("ca.accept", input, second!);
      await change("ca.accept", input, worker!);
      await change("ca.issue", input, first!);
      await refused("ca.drop", back, first!, /issues on 10\.5\.0\.2 already/);
      await refused("ca.drop", back, second!, /issues on 10\.5\.0\.2 already/);
      await refused(
        "ca.drop",
        old,
        first!,
        /still needed: 10\.5\.0\.3 is accepting; 10\.5\.0\.4 is accepting \(S11\)/,
      );
    },
  );
});

Deno.test("a CA is not dropped while a node does not tell", async () => {
  await withExchange(
    "os",
    { workers: 1 },
    async ({ change, changeAll }, input, cluster) => {
      await changeAll("ca.accept", input);
      await changeAll("ca.issue", input);
      await cluster.setFault("10.5.0.3", "unavailable");
      const verdict = await change(
        "ca.drop",
        { kind: "os", which: "old" },
        "10.5.0.2",
      );
      assert.equal(verdict.outcome, "refused");
      assert.match(verdict.reason, /still needed: 10\.5\.0\.3: .*\(S11\)/);
    },
  );
});

Deno.test("a trust list that another user changed stops the rotation", async () => {
  await withExchange("os", {}, async ({ change, context }, input) => {
    const { client } = await context("10.5.0.2");
    const { pem } = await testCa();
    const text = await readMachineConfiguration(client);
    await client.machine.applyConfiguration({
      data: new TextEncoder().encode(withAccepted(text, "os", pem)),
      mode: Mode.NO_REBOOT,
    });
    const verdict = await change("ca.accept", input, "10.5.0.2");
    assert.equal(verdict.outcome, "refused");
    assert.match(verdict.reason, /none of the four states old /);
  });
});

Deno.test("an attempt whose runner died is found in the trust list", async () => {
  await withExchange("os", {}, async ({ context, vault }, _) => {
    const there = await context("10.5.0.2");
    const input = {
      kind: "os",
      ca: null,
      which: null,
      comments: "keep",
    } as const;
    const seen = await caAccept.observe(there, input);
    const key = caAccept.key(seen, input);
    assert.equal(key.fingerprint, vault.find("ca.os")?.fingerprint);
    let now = 0;
    const clock = {
      now: () => now,
      sleep: (ms: number) => Promise.resolve(void (now += ms)),
    };
    const timed = { ...there, clock };
    assert.equal(await caAccept.reconcile(timed, input, key), "not-started");
    assert.equal(now, 3_000);
    for await (const _ of caAccept.apply(there, input, key));
    assert.equal(await caAccept.reconcile(timed, input, key), "done");
    // Finished changes are not sent again.
    for await (const _ of caAccept.apply(there, input, key));
    assert.equal(await caIssue.reconcile(timed, input, key), "not-started");
    const away = { ...timed, client: (await context("10.5.0.99")).client };
    assert.equal(await caAccept.reconcile(away, input, key), "unknown");
  });
});

Deno.test("a context of a run has a vault, and others are a bug", () => {
  const context = { node: "a", vault: {} } as unknown as NodeContext; // no more is checked
  assert.equal(toStepContext(context), context);
  const { vault: _, ...bare } = context as NodeContext & { vault: unknown };
  assert.throws(() => toStepContext(bare), TypeError);
});
