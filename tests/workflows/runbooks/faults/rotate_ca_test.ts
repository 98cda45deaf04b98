/** The table of faults of the rotation of CAs, each by name. */

import assert from "node:assert/strict";
import { nodeClient } from "../../../../transport/call/client.ts";
import type { Json } from "../../../../lib/json.ts";
import { openVault } from "../../../../workflows/vault/vault.ts";
import { testCa } from "../../../_test_ca.ts";
import { withFolder } from "../../../_folder.ts";
import {
  type Bench,
  type BenchOptions,
  openBench,
  type ProcessOptions,
  type Ran,
} from "../_bench.ts";
import { changeConfiguration } from "./_configuration.ts";
import { listWaits } from "./_upgrade.ts";

const minuteMs = 60_000;
const worker = "demo-worker-1";
const kubernetesOnly = { os: false, kubernetes: true };
const asked = "waiting-approval 76";

/** A cluster, and the runbook on it; all is approved. */
async function withRotation(
  test: (
    bench: Bench,
    rotate: (options?: ProcessOptions, inputs?: Inputs) => Promise<Ran>,
    folder: string,
  ) => Promise<void>,
  options: BenchOptions = {},
): Promise<void> {
  await withFolder({}, async (folder) => {
    await using bench = await openBench({
      controlPlanes: 1,
      workers: 1,
      ...options,
    });
    const given = {
      osconfig: `${folder}/osconfig`,
      secretsOut: `${folder}/secrets.yaml`,
    };
    await test(
      bench,
      (process = {}, inputs = {}) =>
        bench.run("builtin:rotate-ca", { ...given, ...inputs }, {
          answers: true,
          ...process,
        }),
      folder,
    );
  });
}

type Inputs = Readonly<Record<string, Json>>;

/** Whom nodes trust: the issuer, and how many are accepted. */
function trust({ cluster }: Bench): readonly string[] {
  return [
    ...new Set(
      cluster.observe().nodes.map(({ trust: { issuer, accepted } }) =>
        `${issuer} ${accepted.join(" ")}`
      ),
    ),
  ];
}

function configurations({ cluster }: Bench): readonly string[] {
  return cluster.observe().nodes.map(({ configuration }) => configuration);
}

/** All nodes trust one CA, another one than before. */
function assertRotated(bench: Bench, before: readonly string[]): void {
  const [one = "", ...others] = trust(bench);
  assert.deepEqual(others, []);
  const [issuer, ...accepted] = one.split(" ");
  assert.deepEqual(accepted, [issuer]);
  assert.notDeepEqual([one], before);
}

Deno.test("killed at some record: some credential opens every node all the time, and only the new CA is left", async () => {
  let length = 0;
  await withRotation(async (bench, rotate) => {
    const before = trust(bench);
    const ran = await rotate();
    assert.equal(ran.verdict, "succeeded 0");
    assertRotated(bench, before);
    length = ran.records.length;
  });
  // The kill matrix has them all.
  const step = Math.ceil(length / 3);
  for (let killAt = 3; killAt < length; killAt += step) {
    await withRotation(async (bench, rotate) => {
      const before = trust(bench);
      const first = await rotate({ killAt });
      assert.equal(first.verdict, "killed", `record ${killAt}`);
      await bench.pass(minuteMs);
      const second = await bench.resume({ answers: true });
      assert.equal(second.verdict, "succeeded 0", `record ${killAt}`);
      assertRotated(bench, before);
    });
  }
});

Deno.test("a node is down at the beginning: refused, nothing is changed", async () => {
  await withRotation(async (bench, rotate) => {
    const before = configurations(bench);
    await bench.inject({ what: "unavailable", node: worker });
    const ran = await rotate();
    assert.equal(ran.verdict, "failed 4");
    assert.equal(ran.end?.failure?.step, "preflight");
    assert.match(
      ran.end?.failure?.message ?? "",
      /nodes\.allReachable: .*demo-worker-1/,
    );
    assert.deepEqual(configurations(bench), before);
  });
});

Deno.test("a node goes down between accept and issue: blocked, and taken back where it can be", async () => {
  await withRotation(async (bench, rotate) => {
    const [before] = configurations(bench);
    assert.equal((await rotate({ answers: {} })).verdict, asked);
    assert.notEqual(configurations(bench)[0], before);
    await bench.inject({ what: "unavailable", node: worker });
    const ran = await bench.resume({ answers: true });
    assert.equal(ran.verdict, "blocked 5");
    assert.equal(ran.end?.failure?.step, "os/issue/controlplane/patch");
    assert.match(
      ran.end?.failure?.message ?? "",
      /new CA is not accepted everywhere/,
    );
    assert.equal(configurations(bench)[0], before);
  });
});

Deno.test("a node goes down before the CA is made: ends, and there is nothing to take back", async () => {
  await withRotation(async (bench, rotate) => {
    const before = configurations(bench);
    let down: Promise<unknown> | undefined;
    const ran = await rotate({
      onRecord({ type, path, node }) {
        if (type !== "result" || path !== "backup/config" || node !== worker) {
          return;
        }
        down = bench.inject({ what: "unavailable", node: worker });
      },
    });
    await down;
    assert.equal(ran.verdict, "failed 1");
    assert.equal(ran.end?.failure?.step, "os/make");
    assert.match(
      ran.end?.failure?.message ?? "",
      /Cannot read the CAs of 10\.5\.0\.3/,
    );
    const back = ran.records.filter(({ type, path }) =>
      type === "result" && path?.startsWith("os/take-back")
    );
    assert.deepEqual(back.map(({ data }) => data?.state), ["skipped"]);
    assert.deepEqual(configurations(bench), before);
  });
});

Deno.test("a node goes down before the old CA is dropped: waits, ends, and it is not dropped without that node (S11)", async () => {
  await withRotation(async (bench, rotate) => {
    const [old = ""] = trust(bench);
    const first = await rotate({ answers: { commit: true } });
    assert.equal(first.verdict, asked);
    await bench.inject({ what: "unavailable", node: worker });
    const second = await bench.resume({
      answers: true,
      decisions: [{
        type: "drop",
        node: worker,
        data: { reason: "it was removed", by: "tester" },
      }],
    });
    assert.equal(second.verdict, "failed 4");
    assert.equal(second.end?.failure?.step, "os/ready-to-drop");
    assert.match(second.end?.failure?.message ?? "", /10\.5\.0\.3|worker-1/);
    // Also without the gate (S11).
    const third = await bench.resume({
      answers: true,
      decisions: [{
        type: "decision",
        path: "os/ready-to-drop",
        data: { verdict: "skip", reason: "I know better", by: "tester" },
      }],
    });
    assert.equal(third.verdict, "blocked 5");
    assert.match(third.end?.failure?.step ?? "", /^os\/drop\//);
    const [issuer = ""] = old.split(" ");
    const plane = bench.cluster.observe().nodes[0]!;
    assert.ok(plane.trust.accepted.includes(issuer));
  });
});

Deno.test("a node joins: blocked before the next fan-out", async () => {
  await withRotation(async (bench, rotate) => {
    assert.equal((await rotate({ answers: {} })).verdict, asked);
    await bench.inject({ what: "joins", role: "worker" });
    const ran = await bench.resume({ answers: true });
    assert.equal(ran.verdict, "blocked 5");
    assert.deepEqual(ran.end?.failure, {
      step: "os/issue/controlplane",
      code: "refused",
      message: "joined since the run started: demo-worker-2",
    });
    assert.deepEqual(ran.end?.joined, ["demo-worker-2"]);
  });
});

Deno.test("the machine of the old runner is lost: continues elsewhere with a copy of the vault and the passphrase", async () => {
  await withRotation(async (bench, rotate, folder) => {
    const before = trust(bench);
    const source = { passphrase: "correct horse", rounds: 10 };
    const [here, there] = [`${folder}/here`, `${folder}/there`];
    for (const one of [here, there]) await Deno.mkdir(one);
    const first = await rotate({
      vault: await openVault(here, source),
      on({ type, path }, { kill }) {
        if (type === "node.ended" && path === "os/issue/controlplane") kill();
      },
    });
    assert.equal(first.verdict, "killed");
    for await (const { name } of Deno.readDir(here)) {
      await Deno.copyFile(`${here}/${name}`, `${there}/${name}`);
    }
    await assert.rejects(
      openVault(there, { ...source, passphrase: "wrong horse" }),
      { name: "ConfigError" },
    );
    const second = await bench.resume({
      answers: true,
      vault: await openVault(there, source),
    });
    assert.equal(second.verdict, "succeeded 0");
    assertRotated(bench, before);
  });
});

Deno.test("a failure before the new CA issues: taken back, configurations are as before, byte for byte", async () => {
  await withRotation(async (bench, rotate) => {
    const before = configurations(bench);
    await bench.inject({
      what: "call-fails",
      code: "FAILED_PRECONDITION",
      method: "ApplyConfiguration",
      node: worker,
      times: 1,
    });
    const ran = await rotate();
    assert.equal(ran.verdict, "failed 1");
    assert.equal(ran.end?.failure?.step, "os/accept/workers/patch");
    assert.ok(
      ran.events.some(({ type, path }) =>
        type === "step.done" && /^os\/take-back\/.*patch$/.test(path)
      ),
    );
    assert.deepEqual(configurations(bench), before);
    // A change that was undone is repeated.
    const second = await bench.resume({ answers: true });
    assert.equal(second.verdict, "succeeded 0");
    assert.notDeepEqual(configurations(bench), before);
  });
});

Deno.test("a trust list is edited by hand meanwhile: blocked, with the four states there may be", async () => {
  const stranger = await testCa();
  await withRotation(async (bench, rotate) => {
    assert.equal((await rotate({ answers: {} })).verdict, asked);
    await changeConfiguration(bench, worker, (machine) => {
      machine.acceptedCAs = [{ crt: btoa(stranger.pem) }];
    });
    const second = await bench.resume({ answers: true });
    assert.equal(second.verdict, "blocked 5");
    assert.match(
      second.end?.failure?.message ?? "",
      /old.*accept.*issu.*new/is,
    );
  });
});

Deno.test("the clock of a node is 10 m off: refused, and named", async () => {
  await withRotation(async (bench, rotate) => {
    const before = configurations(bench);
    await bench.inject({ what: "clock-skew", node: worker, ms: 10 * minuteMs });
    const ran = await rotate();
    assert.equal(ran.verdict, "failed 4");
    assert.equal(ran.end?.failure?.step, "preflight");
    assert.match(listWaits(ran).join(), /nodes\.timeInSync: .*demo-worker-1/);
    assert.deepEqual(configurations(bench), before);
  });
});

Deno.test("a CA of one's own that is expired, has another kind of key, or is none: wrong input", async () => {
  const expired = await testCa(new Date("2026-01-01T00:00:00Z"));
  // Kubernetes cannot use it.
  const other = await testCa(undefined, "Ed25519");
  const cases = [
    [expired.pem + expired.key, "osCA", {}, /expired on/],
    [other.pem + other.key, "k8sCA", kubernetesOnly, /key is Ed25519/],
    [undefined, "osCA", {}, /is not a CA certificate/],
    ["no certificate at all", "osCA", {}, /Cannot read PEM/],
  ] as const;
  for (const [bundle, name, inputs, why] of cases) {
    await withRotation(async (bench, rotate) => {
      const before = configurations(bench);
      // A client's certificate is none of a CA.
      const { crt, key } = bench.cluster.admin;
      const ran = await rotate({ secrets: { [name]: bundle ?? crt + key } }, {
        ...inputs,
        [name]: { secret: name },
      });
      assert.equal(ran.verdict, "failed 2");
      assert.match(ran.end?.failure?.step ?? "", /make$/);
      assert.match(ran.end?.failure?.message ?? "", why);
      assert.deepEqual(configurations(bench), before);
    });
  }
});

Deno.test("the old client after the end: refused on both routes", async () => {
  await withRotation(async (bench, rotate) => {
    const { cluster } = bench;
    assert.equal((await rotate()).verdict, "succeeded 0");
    for (
      const [endpoint, node] of [[worker], ["demo-controlplane-1", worker]]
    ) {
      const transport = cluster.transport(endpoint!, cluster.admin);
      const options = node === undefined ? {} : { node };
      await assert.rejects(
        cluster.clock.run(() =>
          nodeClient(worker, transport, {}).machine.version({}, options)
        ),
        { name: "ConnectError" },
      );
    }
  });
});
