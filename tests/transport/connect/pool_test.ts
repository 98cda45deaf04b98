import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import {
  type Endpoint,
  parseEndpoint,
} from "../../../transport/connect/endpoint.ts";
import { Detours, Pool } from "../../../transport/connect/pool.ts";

const never = new AbortController().signal;

class FakeConnection {
  usable = true;
  doubtful = false;
  constructor(readonly name: string) {}
  close(): void {
    this.usable = false;
  }
}

interface Dial {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly succeed: () => FakeConnection;
  readonly fail: (error: unknown) => void;
}

/** A pool whose attempts end when the test says so, and whose clock stands still. */
function makePool(...names: readonly string[]) {
  const dials: Dial[] = [];
  const clock = { now: 0 };
  const pool = new Pool<FakeConnection>({
    endpoints: names.map(parseEndpoint),
    dial({ host }: Endpoint, signal: AbortSignal) {
      const { promise, resolve, reject } = Promise.withResolvers<
        FakeConnection
      >();
      dials.push({
        name: host,
        signal,
        succeed() {
          const connection = new FakeConnection(host);
          resolve(connection);
          return connection;
        },
        fail: reject,
      });
      return promise;
    },
    now: () => clock.now,
  });
  const acquire = async () => (await pool.acquire(never)).name;
  return { pool, dials, clock, acquire };
}

function expectRefusal(name: string): ConnectError {
  return new ConnectError("refused", `${name} refuses`, { hint: "try again" });
}

/** Lets everything that can continue continue. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

Deno.test("Pool dials all endpoints at once, on the first use", async () => {
  const { dials, acquire } = makePool("a", "b", "c");
  assert.equal(dials.length, 0);
  const first = acquire();
  assert.deepEqual(dials.map(({ name }) => name), ["a", "b", "c"]);
  dials[1]!.succeed();
  assert.equal(await first, "b");
});

Deno.test("Pool continues with those that are up while others are dialled", async () => {
  const { dials, acquire } = makePool("a", "b", "c");
  const first = acquire();
  dials[2]!.succeed();
  await first;
  assert.deepEqual([await acquire(), await acquire()], ["c", "c"]);
  assert.equal(dials.length, 3);
});

Deno.test("Pool takes turns among those that are up", async () => {
  const { dials, acquire } = makePool("a", "b", "c");
  const first = acquire();
  for (const dial of dials) dial.succeed();
  await first;
  await settle();
  const turns = [await acquire(), await acquire(), await acquire()];
  assert.deepEqual(turns.toSorted(), ["a", "b", "c"]);
});

Deno.test("Pool takes a doubtful connection only when there is no other", async () => {
  const { dials, acquire } = makePool("a", "b");
  const first = acquire();
  const [a, b] = dials.map((dial) => dial.succeed());
  await first;
  await settle();
  const turns = async () => [await acquire(), await acquire(), await acquire()];
  a!.doubtful = true;
  assert.deepEqual(await turns(), ["b", "b", "b"]);
  b!.doubtful = true;
  assert.deepEqual(new Set(await turns()), new Set(["a", "b"]));
  a!.doubtful = false;
  assert.deepEqual(await turns(), ["a", "a", "a"]);
  assert.equal(dials.length, 2);
});

Deno.test("Pool leaves a dead endpoint alone, and tries it again later beside the others", async () => {
  const { dials, clock, acquire } = makePool("a", "b");
  const first = acquire();
  dials[0]!.fail(expectRefusal("a"));
  dials[1]!.succeed();
  await first;
  clock.now = 2_999;
  assert.equal(await acquire(), "b");
  assert.equal(dials.length, 2);
  clock.now = 3_000;
  assert.equal(await acquire(), "b");
  assert.deepEqual(dials.map(({ name }) => name), ["a", "b", "a"]);
  dials[2]!.succeed();
  await settle();
  const turns = [await acquire(), await acquire()];
  assert.deepEqual(turns.toSorted(), ["a", "b"]);
});

Deno.test("Pool dials again when a connection has ended", async () => {
  const { dials, acquire } = makePool("a");
  const first = acquire();
  const connection = dials[0]!.succeed();
  await first;
  connection.close();
  const second = acquire();
  assert.equal(dials.length, 2);
  dials[1]!.succeed();
  assert.equal(await second, "a");
});

Deno.test("Pool raises the error of its only endpoint as it is, and remembers it for a while", async () => {
  const { dials, clock, acquire } = makePool("a");
  const error = expectRefusal("a");
  const first = acquire();
  dials[0]!.fail(error);
  await assert.rejects(first, (seen) => seen === error);
  await assert.rejects(acquire(), (seen) => seen === error);
  assert.equal(dials.length, 1);
  clock.now = 3_000;
  const later = acquire();
  assert.equal(dials.length, 2);
  dials[1]!.succeed();
  assert.equal(await later, "a");
});

Deno.test("Pool waits for the last endpoint before it gives up, and names all", async () => {
  const { dials, acquire } = makePool("a", "b", "c");
  let ended = false;
  const first = acquire().finally(() => ended = true);
  dials[0]!.fail(expectRefusal("a"));
  dials[1]!.fail(new ConnectError("wrong-ca", "b is strange", { hint: "ca" }));
  await settle();
  assert.equal(ended, false);
  dials[2]!.fail(new ConnectError("timeout", "c is silent"));
  await assert.rejects(first, {
    name: "ConnectError",
    reason: "wrong-ca",
    message:
      "None of 3 endpoints answers: a refuses; b is strange; c is silent",
    hint: "ca",
  });
});

Deno.test("Pool raises what is not a connection error as it is", async () => {
  const { dials, acquire } = makePool("a", "b");
  const first = acquire();
  const bug = new TypeError("bug");
  dials[0]!.fail(bug);
  dials[1]!.fail(expectRefusal("b"));
  await assert.rejects(first, (error) => error === bug);
});

Deno.test("Pool shares an attempt among all who wait", async () => {
  const { dials, acquire } = makePool("a");
  const waiting = [acquire(), acquire(), acquire()];
  assert.equal(dials.length, 1);
  dials[0]!.succeed();
  assert.deepEqual(await Promise.all(waiting), ["a", "a", "a"]);
});

Deno.test("Pool stops waiting with the signal; the attempt continues for others", async () => {
  const { pool, dials, acquire } = makePool("a");
  const controller = new AbortController();
  const impatient = pool.acquire(controller.signal);
  const patient = acquire();
  controller.abort("enough");
  await assert.rejects(impatient, (reason) => reason === "enough");
  assert.equal(dials[0]!.signal.aborted, false);
  dials[0]!.succeed();
  assert.equal(await patient, "a");
});

Deno.test("Pool ends connections and attempts when closed", async () => {
  const { pool, dials, acquire } = makePool("a", "b");
  const first = acquire();
  const up = dials[0]!.succeed();
  await first;
  pool.close();
  assert.equal(up.usable, false);
  assert.equal(dials[1]!.signal.aborted, true);
  const late = dials[1]!.succeed();
  await settle();
  assert.equal(late.usable, false);
  await assert.rejects(acquire(), { name: "CancelledError" });
});

Deno.test("Pool gives an endpoint that is avoided only when there is no other", async () => {
  const { pool, dials, acquire } = makePool("a", "b");
  const first = acquire();
  dials[0]!.succeed();
  dials[1]!.succeed();
  await first;
  const avoided = new Set(["a:50000"]);
  for (const _turn of [1, 2]) {
    assert.equal((await pool.acquire(never, avoided)).name, "b");
  }
  const both = new Set(["a:50000", "b:50000"]);
  assert.ok(await pool.acquire(never, both));
});

Deno.test("Pool gives the endpoint that is preferred when it is up and not avoided", async () => {
  const { pool, dials, acquire } = makePool("a", "b", "c");
  const first = acquire();
  const [a, b, c] = dials.map(({ succeed }) => succeed());
  await first;
  await settle();
  const preferred = async (avoided: readonly string[] = []) =>
    (await pool.acquire(never, new Set(avoided), "b")).name;
  assert.equal(await preferred(), "b");
  assert.equal(await preferred(), "b");
  assert.notEqual(await preferred(["b:50000"]), "b");
  assert.ok(a && b && c);
  b.doubtful = true;
  assert.notEqual(await preferred(), "b");
});

Deno.test("Pool gives endpoints that were not tried, and waits for one that is dialled", async () => {
  const { pool, dials, acquire } = makePool("a", "b");
  const first = acquire();
  dials[0]!.succeed();
  await first;
  const tried = new Set(["a:50000"]);
  const other = pool.acquireOther(never, tried);
  dials[1]!.succeed();
  assert.equal((await other)?.name, "b");
  assert.equal(
    await pool.acquireOther(never, new Set(["a:50000", "b:50000"])),
    undefined,
  );
});

Deno.test("Detours are taken for one node, until its call succeeds again", () => {
  const detours = new Detours();
  detours.failed("n1", "a");
  assert.deepEqual([...detours.avoided("n1")], ["a"]);
  assert.deepEqual([...detours.avoided("n2")], []);
  detours.reached("n1", "a");
  assert.deepEqual([...detours.avoided("n1")], []);
});

Deno.test("Pool says once what is wrong with all endpoints", async () => {
  const { dials, acquire } = makePool("a", "b", "c");
  const first = acquire();
  for (const { name, fail } of dials) {
    fail(
      new ConnectError(
        "wrong-ca",
        `Cannot trust "${name}:50000": its certificate is signed by another CA`,
      ),
    );
  }
  await assert.rejects(first, {
    message:
      "None of 3 endpoints answers: Cannot trust any of them: its certificate is signed by another CA",
  });
});
