import assert from "node:assert/strict";
import type { Context } from "../../../commands/_kit/command.ts";
import {
  allowFlag,
  type GuardInputs,
  passGuard,
} from "../../../commands/_kit/guard.ts";
import { RefusedError, RpcError } from "../../../errors.ts";
import type { AnyOperation } from "../../../workflows/operation.ts";
import { fakeNodes } from "../../_fake.ts";

const clock = { now: () => 0, sleep: () => Promise.resolve() };

/** Wipes a node called `a`; others cannot be looked at. */
const wipe: AnyOperation = {
  name: "wipe",
  effect: "destroy",
  idempotency: "once",
  retryable: [],
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
  /** What is typed at a terminal; left out, there is none. */
  readonly typed?: string;
  readonly operation?: AnyOperation;
}

async function guard(
  { yes = false, compat, nodes = ["a", "b"], typed, operation = wipe }: Setting,
) {
  const told: string[] = [];
  const { nodes: opened } = fakeNodes({ a: {}, b: {} });
  const encoder = new TextEncoder();
  // Only what the guard looks at.
  const context = {
    input: { yes, allow: [] },
    globals: { nodes, context: "ctx" },
    nodes: opened,
    world: {
      env: () => compat,
      stdin: {
        terminal: typed !== undefined,
        readable: ReadableStream.from([encoder.encode(`${typed}\n`)]),
      },
      stderr: {
        write: (bytes: Uint8Array) => {
          told.push(new TextDecoder().decode(bytes));
          return Promise.resolve();
        },
      },
    },
    signal: new AbortController().signal,
    note: (text: string) => told.push(text),
  } as unknown as Context<GuardInputs>;
  const roles = [
    { address: "a", hostname: "a", controlPlane: true },
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
      isControlPlane: () => Promise.resolve(true),
      readEtcd: () => Promise.reject(new TypeError("not asked")),
    },
  }).then(() => "passed", (error) => {
    assert.ok(error instanceof RefusedError);
    return `${error.message} / ${error.hint}`;
  });
  return { outcome, told: told.join("\n") };
}

const table = `NODE   ROLE           ETCD             LOST
a      controlplane   leaves-forever   everything
b      worker         -                not known: gone`;

Deno.test("the guard shows node, role, effect and loss, and passes with --yes", async () => {
  assert.deepEqual(await guard({ yes: true }), {
    outcome: "passed",
    told: table,
  });
});

Deno.test("the guard asks for the name of the cluster", async () => {
  assert.deepEqual(await guard({ typed: "lab" }), {
    outcome: "passed",
    told: `${table}\nType the name of the cluster (lab) to go on: `,
  });
  const { outcome } = await guard({ typed: "yes" });
  assert.equal(outcome, '"wipe" was not confirmed / Nothing was sent');
});

Deno.test("the guard refuses when nobody can be asked", async () => {
  const { outcome } = await guard({});
  assert.equal(
    outcome,
    '"wipe" needs a confirmation, and nobody can be asked / Say --yes',
  );
});

Deno.test("the guard refuses the default nodes of the context, also with --yes", async () => {
  const { outcome, told } = await guard({ nodes: [], yes: true });
  assert.equal(
    outcome,
    '"wipe" is not done to the default nodes of the context / Name the nodes with --nodes',
  );
  assert.equal(told, "");
});

Deno.test("the guard lets scripts of the peer pass", async () => {
  assert.deepEqual(await guard({ nodes: [], compat: "peer" }), {
    outcome: "passed",
    told: "",
  });
});

Deno.test("the guard asks nothing of what loses nothing, unless it wants to be asked", async () => {
  const reboot: AnyOperation = { ...wipe, effect: "disrupt" };
  assert.deepEqual(await guard({ nodes: [], operation: reboot }), {
    outcome: "passed",
    told: "",
  });
  const shutdown: AnyOperation = { ...reboot, guarded: true };
  const { outcome } = await guard({ nodes: [], operation: shutdown });
  assert.match(outcome, /is not done to the default nodes/);
});

Deno.test("rules that do not count are taken by name, and only those there are", () => {
  const flag = allowFlag(["one", "two"]);
  assert.deepEqual(flag.parse("one,two", undefined), ["one", "two"]);
  assert.deepEqual(flag.parse("two", ["one"]), ["one", "two"]);
  assert.throws(() => flag.parse("one,three", undefined), {
    message: "must be some of one, two",
  });
});
