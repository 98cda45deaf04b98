import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { virtualClock } from "../../../simulator/clock/virtual_clock.ts";
import type {
  CallOptions,
  Method,
  Transport,
} from "../../../transport/call/call.ts";
import type { Kubernetes } from "../../../workflows/kubernetes/client.ts";
import {
  type Cut,
  type SimulatedProcessOptions,
  startProcess,
} from "../../../workflows/rehearsal/simulated_process.ts";

const method = {
  path: "/machine.MachineService/Reboot",
  requestStream: false,
  responseStream: false,
  // Nothing is encoded.
} as Method<string, string>;

/** A world with a node that answers after a second, and what it was asked. */
function world(options: Partial<SimulatedProcessOptions> = {}) {
  const clock = virtualClock();
  const asked: string[] = [];
  async function* stream(_: unknown, request: unknown, { node }: CallOptions) {
    await clock.sleep(1_000);
    asked.push(`${node} ${request}`);
    yield "one";
    yield "two";
  }
  const transport = {
    stream,
    async unary(...given: Parameters<typeof stream>) {
      for await (const one of stream(...given)) return one;
    },
    close() {},
  } as Transport;
  const kubernetes: Kubernetes = {
    request(path, { method = "GET" }) {
      asked.push(`${method} ${path}`);
      return Promise.resolve({ kind: "Node" });
    },
    [Symbol.dispose]: () => void asked.push("closed"),
  };
  const life = startProcess({ clock, ...options });
  return { clock, asked, life, transport, kubernetes };
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

Deno.test("a process that lives sees the world as it is, by its own clock", async () => {
  const { clock, life, transport, kubernetes, asked } = world({
    skewMs: () => 7_000,
  });
  const signal = new AbortController().signal;
  await clock.run(async () => {
    const calls = life.transport(transport);
    const options = { node: "a", signal };
    assert.equal(await calls.unary(method, "now", options), "one");
    assert.deepEqual(await all(calls.stream(method, "then", { node: "b" })), [
      "one",
      "two",
    ]);
    using api = life.kubernetes(kubernetes);
    const object = await api.request("/api?x=1", { signal, method: "PUT" });
    assert.deepEqual(object, { kind: "Node" });
    const before = life.clock.now();
    assert.equal(before - clock.now(), 7_000);
    await life.clock.sleep(500, signal);
    assert.equal(life.clock.now() - before, 500);
  });
  assert.deepEqual(asked, ["a now", "b then", "PUT /api?x=1", "closed"]);
});

Deno.test("nothing comes any more when a process has ended, whatever it waited for", async () => {
  const { clock, life, transport, kubernetes } = world();
  const signal = new AbortController().signal;
  let came = 0;
  const arrive = () => void came++;
  await clock.run(async () => {
    const calls = life.transport(transport);
    const store = life.store({
      write: () => Promise.resolve(),
      sync: () => Promise.reject(new Error("no disk")),
    });
    life.clock.sleep(100).then(arrive, arrive);
    calls.unary(method, "a", {}).then(arrive, arrive);
    all(calls.stream(method, "a", {})).then(arrive, arrive);
    store.sync().then(arrive, arrive);
    life.kill();
    assert.equal(life.dead.aborted, true);
    store.write(new Uint8Array()).then(arrive, arrive);
    life.kubernetes(kubernetes).request("/api", { signal })
      .then(arrive, arrive);
    await clock.sleep(60_000);
  });
  assert.equal(came, 0);
});

Deno.test("calls are checked on their way, and cut off before or after they are run", async () => {
  let cut: Cut = { kind: "none" };
  const seen: string[] = [];
  const { clock, life, transport, kubernetes, asked } = world({
    gate: (call) => {
      seen.push(`${call.method} ${call.node}`);
      return Promise.resolve(cut);
    },
  });
  const signal = new AbortController().signal;
  const error = new RpcError("UNAVAILABLE", "cut");
  const api = life.kubernetes(kubernetes);
  const calls = life.transport(transport);
  await clock.run(async () => {
    for (const kind of ["before", "after"] as const) {
      cut = { kind, error, kubernetes: new Error("away") };
      await assert.rejects(calls.unary(method, kind, { node: "a" }), error);
      await assert.rejects(all(calls.stream(method, kind, {})), error);
      await assert.rejects(api.request(`/${kind}?x`, { signal }), /away/);
    }
  });
  assert.deepEqual(asked, ["a after", "undefined after", "GET /after?x"]);
  assert.deepEqual(seen.slice(0, 3), ["Reboot a", "Reboot ", "GET /before "]);
});

Deno.test("a stream that is left early is ended", async () => {
  const { clock, life, transport } = world();
  await clock.run(async () => {
    for await (const one of life.transport(transport).stream(method, "a", {})) {
      assert.equal(one, "one");
      break;
    }
  });
});
