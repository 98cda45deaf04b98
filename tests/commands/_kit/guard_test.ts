import assert from "node:assert/strict";
import type { Context } from "../../../commands/_kit/command.ts";
import {
  type GuardInputs,
  passGuard,
  passLock,
} from "../../../commands/_kit/guard.ts";
import { OsctlError, RefusedError, RpcError } from "../../../errors.ts";
import type { AnyOperation } from "../../../workflows/operations/operation.ts";
import type { ClusterEtcd } from "../../../workflows/etcd/etcd_facts.ts";
import { fakeNodes } from "../../_fake.ts";

const clock = { now: () => 0, sleep: () => Promise.resolve() };

/** Wipes a node called `a`; others cannot be checked. */
const wipe: AnyOperation = {
  name: "wipe",
  effect: "destroy",
  idempotency: "once",
  quorum: () => "leaves-forever",
  observe: ({ node }) =>
    node === "a"
      ? Promise.resolve(1)
      : Promise.reject(new RpcError("UNAVAILABLE", "gone")),
  plan: () => [{ action: "wipe", loses: "everything" }],
  key: () => null,
  async *apply() {},
  reconcile: () => Promise.resolve("unknown"),
  async *verify() {
    yield* [];
    await Promise.resolve();
    return { outcome: "done", reason: "" };
  },
};

interface Setting {
  readonly yes?: boolean;
  readonly compat?: string;
  readonly nodes?: readonly string[];
  /** Input at a terminal; omitted, there is none. */
  readonly typed?: string;
  readonly operation?: AnyOperation;
  readonly etcd?: ClusterEtcd | OsctlError;
}

/** Three members, all well; `a` has the first. */
const etcd: ClusterEtcd = {
  facts: {
    members: ["1", "2", "3"].map((id) => ({ id, name: id, learner: false })),
    healthy: ["1", "2", "3"],
    alarms: [],
    leader: "1",
    silent: [],
    doubts: [],
    readAt: 0,
  },
  memberOf: new Map([["a", "1"]]),
};

async function guard(setting: Setting) {
  const { yes = false, compat, nodes = ["a", "b"], typed } = setting;
  const { operation = wipe, etcd: known = etcd } = setting;
  const reported: string[] = [];
  const { nodes: opened } = fakeNodes({ a: {}, b: {} });
  const encoder = new TextEncoder();
  // Only what the guard looks at.
  const context = {
    input: { yes, allow: [] },
    globals: { nodes, context: "ctx" },
    nodes: opened,
    environment: {
      env: () => compat,
      stdin: {
        terminal: typed !== undefined,
        readable: ReadableStream.from([encoder.encode(`${typed}\n`)]),
      },
      stderr: {
        write: (bytes: Uint8Array) => {
          reported.push(new TextDecoder().decode(bytes));
          return Promise.resolve();
        },
      },
    },
    signal: new AbortController().signal,
    note: (text: string) => reported.push(text),
  } as unknown as Context<GuardInputs>;
  const roles = [
    {
      address: "a",
      hostname: "cp-1",
      controlPlane: true,
      version: "v1.12.0",
    },
    { address: "b", hostname: "b", controlPlane: false },
  ];
  const outcome = await passGuard(context, {
    operation,
    input: null,
    names: ["a", "b"],
    named: nodes.length > 0,
    clock,
    view: {
      members: () => Promise.resolve(roles),
      name: () => Promise.resolve("lab"),
      at: opened.at,
      kubernetes: () => Promise.reject(new TypeError("not asked")),
      unconfigured: opened.unconfigured,
      readRole: (node) =>
        Promise.resolve(node === "a" ? "controlplane" : "worker"),
      readEtcd: () =>
        known instanceof OsctlError
          ? Promise.reject(known)
          : Promise.resolve(known),
    },
  }).then(() => "passed", (error) => {
    assert.ok(error instanceof RefusedError);
    return `${error.message} / ${error.hint}`;
  });
  return { outcome, reported: reported.join("\n") };
}

const table = `NODE   HOST   ROLE           VERSION   ETCD             LOST
a      cp-1   controlplane   v1.12.0   leaves-forever   everything
b      b      worker         -         -                not known: gone
a: etcd has 3 voters, 3 healthy, quorum 2; without this one 2 voters, 2 healthy, quorum 2`;

Deno.test("the guard shows node, role, effect and loss, and passes with --yes", async () => {
  assert.deepEqual(await guard({ yes: true }), {
    outcome: "passed",
    reported: table,
  });
});

Deno.test("the guard shows the arithmetic of etcd, for whose member it is", async () => {
  const last = async (setting: Setting) =>
    (await guard({ ...setting, yes: true })).reported.split("\n").at(-1);
  const away: AnyOperation = { ...wipe, quorum: () => "leaves-temporarily" };
  assert.equal(
    await last({ operation: away }),
    "a: etcd has 3 voters, 3 healthy, quorum 2; without this one 2",
  );
  const remove: AnyOperation = { ...wipe, member: () => "3" };
  assert.equal(
    await last({
      operation: remove,
      etcd: { ...etcd, facts: { ...etcd.facts, healthy: ["1", "2"] } },
    }),
    "member 3: etcd has 3 voters, 2 healthy, quorum 2; without this one 2 voters, 2 healthy, quorum 2",
  );
  assert.equal(
    await last({ etcd: { ...etcd, memberOf: new Map() } }),
    "a: etcd does not answer",
  );
  assert.equal(
    await last({ etcd: new OsctlError("no endpoint") }),
    "etcd: not known: no endpoint",
  );
  for (const known of [{ ...etcd, memberOf: new Map() }, new OsctlError("x")]) {
    const { reported } = await guard({ etcd: known, yes: true });
    assert.match(
      reported,
      /^a +cp-1 +controlplane +v1\.12\.0 +not known +everything$/m,
    );
  }
  const none: AnyOperation = { ...wipe, quorum: () => "none" };
  assert.match(`${await last({ operation: none })}`, /^b {6}b {6}worker/);
});

Deno.test("the guard asks for the name of the cluster", async () => {
  assert.deepEqual(await guard({ typed: "lab" }), {
    outcome: "passed",
    reported: `${table}\nType the cluster name (lab) to continue: `,
  });
  const { outcome } = await guard({ typed: "yes" });
  assert.equal(outcome, '"wipe" was not confirmed / Nothing was sent');
});

Deno.test("the guard refuses when there is no terminal to ask on", async () => {
  const { outcome } = await guard({});
  assert.equal(
    outcome,
    '"wipe" needs a confirmation, and there is no terminal to ask on / Pass --yes',
  );
});

Deno.test("the guard refuses the default nodes of the context, also with --yes", async () => {
  const { outcome, reported } = await guard({ nodes: [], yes: true });
  assert.equal(
    outcome,
    '"wipe" does not run on the default nodes of the context / Name the nodes with --nodes',
  );
  assert.equal(reported, "");
});

Deno.test("the guard asks for default nodes on a terminal, also with --yes", async () => {
  assert.deepEqual(await guard({ nodes: [], yes: true, typed: "lab" }), {
    outcome: "passed",
    reported: `${table}\nType the cluster name (lab) to continue: `,
  });
});

Deno.test("the guard lets scripts of talosctl pass", async () => {
  assert.deepEqual(await guard({ nodes: [], compat: "peer" }), {
    outcome: "passed",
    reported: "",
  });
});

Deno.test("the guard asks nothing of what loses nothing, unless it wants to be asked", async () => {
  const reboot: AnyOperation = { ...wipe, effect: "disrupt" };
  assert.deepEqual(await guard({ nodes: [], operation: reboot }), {
    outcome: "passed",
    reported: "",
  });
  const shutdown: AnyOperation = { ...reboot, guarded: true };
  const { outcome } = await guard({ nodes: [], operation: shutdown });
  assert.match(outcome, /does not run on the default nodes/);
});

/** Asks for the lock of a run at these times; returns how often Kubernetes was asked. */
async function countQuestions(
  operation: AnyOperation,
  times: readonly number[] = [],
): Promise<number> {
  let asked = 0;
  let time = 0;
  const { nodes } = fakeNodes({ a: {} });
  const environment = {
    env: (name: string) => name === "OS_HOME" ? "/nowhere" : undefined,
  };
  const signal = new AbortController().signal;
  // Only what the check looks at.
  const context = { environment, nodes, note() {}, signal } as never;
  const view = {
    kubernetes() {
      asked++;
      return Promise.reject(new OsctlError("no answer"));
    },
  } as never;
  const at = { operation, view, clock: { ...clock, now: () => time } };
  const again = await passLock(context, at, []);
  for (time of times) await again?.();
  return asked;
}

Deno.test("passLock: what disturbs nodes asks for the lock of a run, and again for nodes that start later", async () => {
  const write: AnyOperation = { ...wipe, effect: "write" };
  assert.equal(await countQuestions(write), 0);
  // A drain changes no node itself.
  assert.equal(await countQuestions({ ...write, rolling: true }), 1);
  assert.equal(await countQuestions({ ...wipe, effect: "disrupt" }), 1);
  assert.equal(await countQuestions(wipe, [4_999]), 1);
  assert.equal(await countQuestions(wipe, [4_999, 5_000, 9_999]), 2);
  // The clock was set back.
  assert.equal(await countQuestions(wipe, [-5_000]), 2);
});
