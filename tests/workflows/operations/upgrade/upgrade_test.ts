import assert from "node:assert/strict";
import { RefusedError, RpcError } from "../../../../errors.ts";
import type { Verdict } from "../../../../workflows/operations/operation.ts";
import type { Arbiter } from "../../../../workflows/operations/arbiter.ts";
import {
  foldHistory,
  type OperationRecord,
} from "../../../../workflows/operations/journal.ts";
import { runOnNode } from "../../../../workflows/operations/run.ts";
import {
  forcedUpgrade,
  upgrade,
} from "../../../../workflows/operations/upgrade/upgrade.ts";
import type { UpgradeInput } from "../../../../workflows/operations/upgrade/upgrade_facts.ts";
import { otherSchematic, plainSchematic } from "../_system.ts";
import { type Mishaps, type Upgradable, upgradable } from "../_upgrades.ts";
import { contextWith } from "../_run_operation.ts";

const input: UpgradeInput = {
  image: null,
  to: "v1.13.1",
  stage: false,
  force: false,
  preserve: false,
  mode: "default",
  insecure: false,
  drainMs: 0,
  wait: true,
  allow: [],
};

const old = { version: "v1.12.1" };
const young = { version: "v1.13.0" };
const vendor = "ghcr.io/siderolabs/installer";

const free: Arbiter = {
  async *admit() {
    yield* [];
    await Promise.resolve();
    return { release() {} };
  },
};

/** Runs an upgrade to its end; `records` are those of a client that died. */
async function run(
  { node }: Upgradable,
  wanted: UpgradeInput = input,
  records: OperationRecord[] = [],
) {
  const { context } = await contextWith(node, 600_000);
  const begin: OperationRecord = {
    type: "begin",
    v: 1,
    id: "j",
    at: "",
    operation: "upgrade",
    input: wanted,
    nodes: ["a"],
    context: "",
    allow: [],
    waitMs: 1,
  };
  const history = foldHistory([begin, ...records])?.nodes.get("a");
  const steps: string[] = [];
  let verdict: Verdict | undefined;
  const events = runOnNode(context, {
    operation: upgrade,
    input: wanted,
    arbiter: free,
    journal: {
      id: "j",
      append: (record) => {
        records.push({ ...record, at: "" } as OperationRecord); // with its time
        return Promise.resolve();
      },
    },
    wait: true,
    interrupted: new AbortController().signal,
    ...history === undefined ? {} : { history },
  });
  for await (const event of events) {
    if ("verdict" in event) verdict = event.verdict;
    else steps.push(event.progress);
  }
  return { verdict, steps, records };
}

Deno.test("an old node is upgraded by one call, and done when the version runs", async () => {
  const a = upgradable(old);
  const { verdict } = await run(a, { ...input, mode: "powercycle" });
  assert.deepEqual(verdict, { outcome: "done", reason: "ready, v1.13.1" });
  assert.deepEqual(a.sent, ["upgrade"]);
  assert.deepEqual(a.requests.upgrade, {
    image: `${vendor}:v1.13.1`,
    preserve: false,
    stage: false,
    force: false,
    rebootMode: 1,
  });
});

Deno.test("a new node is given an image, an installation and a reboot", async () => {
  const a = upgradable(young);
  const { verdict, steps } = await run(a);
  assert.deepEqual(verdict, { outcome: "done", reason: "ready, v1.13.1" });
  assert.deepEqual(a.sent, ["pull", "install", "reboot"]);
  assert.equal(a.requests.install, `${vendor}:v1.13.1`);
  assert.ok(steps.includes("installer: writing"));
});

Deno.test("a new node whose API lacks the call is upgraded as an old one", async () => {
  const a = upgradable(young, { old: true });
  assert.equal((await run(a)).verdict?.outcome, "done");
  assert.deepEqual(a.sent, ["pull", "install", "upgrade"]);
});

Deno.test("upgrade: options of the older call only use it", async () => {
  for (const name of ["stage", "force", "preserve"] as const) {
    const a = upgradable(young);
    assert.equal(
      (await run(a, { ...input, [name]: true })).verdict?.outcome,
      "done",
    );
    assert.deepEqual(a.sent, ["upgrade"]);
  }
  assert.equal(forcedUpgrade.guarded, true);
  assert.equal(upgrade.guarded, undefined);
});

Deno.test("a node that runs it already is left alone, unless forced", async () => {
  const a = upgradable({ version: "v1.13.1" });
  assert.deepEqual((await run(a)).verdict, {
    outcome: "unchanged",
    reason:
      "already runs v1.13.1; nothing was sent, so the node has not checked the image or etcd",
  });
  assert.deepEqual(a.sent, []);
  const { verdict } = await run(a, { ...input, force: true });
  assert.equal(verdict?.outcome, "done");
});

Deno.test("a node that runs as a container would refuse, whatever it runs", async () => {
  for (const version of ["v1.12.1", "v1.13.1"]) {
    const a = upgradable({ version, platform: "container" });
    const { verdict } = await run(a);
    assert.deepEqual([verdict?.outcome, verdict?.reason, verdict?.hint], [
      "refused",
      "A node that runs as a container refuses upgrades",
      "Replace its container with one of the version you want",
    ]);
    assert.deepEqual(a.sent, []);
  }
});

Deno.test("a node that comes back with the old version was rolled back, in either way", async () => {
  for (const system of [old, young]) {
    const a = upgradable(system, { rollsBack: true });
    assert.deepEqual((await run(a)).verdict, {
      outcome: "rolled-back",
      reason: `the node came back with ${system.version}, not v1.13.1`,
    });
  }
});

Deno.test("a node that comes back with another schematic was rolled back", async () => {
  const a = upgradable(
    { version: "v1.13.1", schematic: plainSchematic },
    { rollsBack: true },
  );
  const image = `registry.example/metal-installer/${otherSchematic}:v1.13.1`;
  assert.deepEqual((await run(a, { ...input, to: null, image })).verdict, {
    outcome: "rolled-back",
    reason:
      "the node came back with the schematic 376567988ad3…, not ce4c980550dd…",
  });
});

Deno.test("a node that takes the reboot and continues never rebooted", async () => {
  const a = upgradable(young, { staysUp: true });
  assert.equal((await run(a)).verdict?.outcome, "never-rebooted");
});

Deno.test("an installer out of sight is waited for, and run once", async () => {
  const a = upgradable(young, { outOfSight: true });
  const { node } = a;
  let looks = 0;
  const slow: Upgradable = {
    ...a,
    node: {
      ...node,
      processes(request) {
        if (++looks === 6) a.endInstaller();
        return node.processes?.(request);
      },
    },
  };
  const { verdict, steps } = await run(slow);
  assert.equal(verdict?.outcome, "done");
  assert.deepEqual(a.sent, ["pull", "install", "reboot"]);
  assert.ok(steps.includes("lost contact with the installer"));
  assert.ok(steps.includes("the installer is running"));
});

Deno.test("an installer that fails ends it, with its own words, and no reboot", async () => {
  const a = upgradable(young, { exitCode: 1 });
  assert.deepEqual((await run(a)).verdict, {
    outcome: "failed",
    reason: "The installer failed with exit status 1: Error: no room",
    hint: "Reboot the node before the next attempt",
  });
  assert.deepEqual(a.sent, ["pull", "install"]);
  // S7: not again in this boot.
  const { verdict } = await run(a);
  assert.deepEqual(verdict, {
    outcome: "refused",
    reason:
      "An installer failed in this boot (exit status 1); reboot first (S7)",
  });
});

function intent(
  via: "legacy" | "lifecycle",
  ...steps: readonly string[]
): OperationRecord[] {
  const key = {
    bootId: "1",
    image: `${vendor}:v1.13.1`,
    version: "v1.13.1",
    schematic: null,
    via,
    drains: null,
  };
  const about = { at: "", node: "a" };
  return [
    { type: "intent", ...about, key },
    ...steps.map((step) => ({ type: "step" as const, ...about, step })),
  ];
}

/** A node on which a client has installed and died. */
async function arm(mishaps: Mishaps = {}): Promise<Upgradable> {
  const a = upgradable(young, mishaps);
  const answers = a.node.upgrade?.({
    source: { imageName: `${vendor}:v1.13.1` },
  });
  try {
    await Array.fromAsync(answers);
  } catch { /* out of sight */ }
  a.sent.length = 0;
  return a;
}

Deno.test("a client that died between installation and reboot is followed by the reboot alone", async () => {
  const a = await arm();
  const before = intent("lifecycle", "install");
  const { verdict, records } = await run(a, input, before);
  assert.equal(verdict?.outcome, "done");
  assert.deepEqual(a.sent, ["reboot"]);
  assert.deepEqual(records.map(({ type }) => type), [
    "intent",
    "step",
    "intent",
    "step",
    "ack",
    "outcome",
  ]);
});

Deno.test("without evidence a node is rebooted, and never given a second installation", async () => {
  const a = await arm({ silent: true });
  const before = intent("lifecycle", "install");
  assert.equal((await run(a, input, before)).verdict?.outcome, "done");
  assert.deepEqual(a.sent, ["reboot"]);
});

Deno.test("without evidence a node that was not about to be given an installation is given one", async () => {
  const a = upgradable(young, { silent: true });
  assert.equal(
    (await run(a, input, intent("lifecycle"))).verdict?.outcome,
    "done",
  );
  assert.deepEqual(a.sent, ["pull", "install", "reboot"]);
});

Deno.test("a step is written down before each call", async () => {
  const steps = async (a: Upgradable, wanted = input) =>
    (await run(a, wanted)).records.flatMap((record) =>
      record.type === "step" ? [record.step] : []
    );
  assert.deepEqual(await steps(upgradable(young)), ["install", "reboot"]);
  assert.deepEqual(await steps(upgradable(old)), ["upgrade"]);
});

Deno.test("a node that has taken the reboot is not asked for another", async () => {
  const a = await arm({ staysUp: true });
  const before: OperationRecord[] = [
    ...intent("lifecycle", "install", "reboot"),
    { type: "ack", at: "", node: "a" },
  ];
  const { verdict } = await run(a, input, before);
  assert.equal(verdict?.outcome, "never-rebooted");
  assert.deepEqual(a.sent, []);
});

Deno.test("a client that died before anything was sent is followed by all of it", async () => {
  const a = upgradable(young);
  await run(a, input, intent("lifecycle"));
  assert.deepEqual(a.sent, ["pull", "install", "reboot"]);
  const b = upgradable(old);
  await run(b, input, intent("legacy"));
  assert.deepEqual(b.sent, ["upgrade"]);
});

Deno.test("a client that died behind the reboot is followed by a look", async () => {
  const a = await arm();
  a.node.reboot?.({});
  a.sent.length = 0;
  const { verdict } = await run(a, input, intent("lifecycle"));
  assert.equal(verdict?.outcome, "done");
  assert.deepEqual(a.sent, []);
});

Deno.test("an installation that failed is not rebooted into", async () => {
  const a = await arm({ exitCode: 1 });
  const { verdict } = await run(a, input, intent("lifecycle"));
  assert.deepEqual(verdict, {
    outcome: "failed",
    reason: "The installer failed with exit status 1",
  });
  assert.deepEqual(a.sent, []);
});

Deno.test("a second image in the same boot is refused, the same one only needs its reboot", async () => {
  const a = await arm();
  const other = { ...input, to: "v1.13.2" };
  const { verdict } = await run(a, other);
  assert.deepEqual(verdict, {
    outcome: "refused",
    reason:
      `${vendor}:v1.13.1 was already installed in this boot, and a second installation would overwrite the system to roll back to; reboot first (S6)`,
  });
  assert.equal((await run(a)).verdict?.outcome, "done");
  assert.deepEqual(a.sent, ["reboot"]);
});

Deno.test("a reply to the reboot that is lost does not install again", async () => {
  const a = upgradable(young);
  const { node } = a;
  const lost: Upgradable = {
    ...a,
    node: {
      ...node,
      async reboot(request) {
        node.reboot?.(request);
        await Promise.resolve();

        throw new RpcError("UNAVAILABLE", "Connection lost");
      },
    },
  };
  const { verdict } = await run(lost);
  assert.equal(verdict?.outcome, "done");
  assert.deepEqual(a.sent, ["pull", "install", "reboot"]);
});

Deno.test("rules of versions and images hold, and are overridden by name", async () => {
  const extended = {
    version: "v1.12.1",
    schematic: otherSchematic,
    extraInfo: "customization: {extraKernelArgs: [quiet]}",
    extensions: { zfs: "2.4.0" },
  };
  const far = { ...input, to: null, image: `${vendor}:v1.14.0` };
  const { verdict } = await run(upgradable(extended), far);
  assert.deepEqual(verdict, {
    outcome: "refused",
    reason:
      "v1.14.0 is more than one minor version ahead of v1.12.1 (S8; --allow version-path); " +
      "the image does not contain zfs; " +
      "v1.14.0 is not published under this name; use factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.14.0 (S9; --allow image-identity)",
  });
  const allowed = { ...far, allow: ["version-path", "image-identity"] };
  const a = upgradable(extended);
  assert.equal((await run(a, allowed)).verdict?.outcome, "done");
  assert.deepEqual(a.sent, ["upgrade"]);
});

Deno.test("a node that is being wiped is not upgraded", async () => {
  const seen = await upgrade.observe(
    (await contextWith(upgradable(old).node)).context,
    input,
  );
  assert.throws(
    () => upgrade.plan({ ...seen, stage: "resetting" }, input),
    RefusedError,
  );
  assert.equal(upgrade.quorum(input), "leaves-temporarily");
  assert.equal(upgrade.quorum({ ...input, insecure: true }), "none");
});
