import assert from "node:assert/strict";
import {
  readKnown,
  readWhenBack,
  refuseUnsuitable,
} from "../../../../workflows/runbooks/run/prepare_run.ts";
import { ConfigError, ConnectError } from "../../../../errors.ts";
import type { Facts } from "../../../../workflows/runbooks/read_facts.ts";
import { demo } from "../store/_runs.ts";

Deno.test("refuseUnsuitable refuses runbooks about one node, and those for another version", () => {
  refuseUnsuitable(demo);
  refuseUnsuitable({ ...demo, requires: { osctl: ">=0.0.1", needs: [] } });
  assert.throws(() => refuseUnsuitable({ ...demo, per: "node" }), ConfigError);
  const late = { ...demo, requires: { osctl: ">=99.0.0", needs: [] } } as const;
  assert.throws(
    () => refuseUnsuitable(late),
    /needs osctl >=99\.0\.0, and this is/,
  );
});

/** A cluster that says who it is at the last of some reads, and a clock that counts its sleeps. */
function ask(...ids: readonly string[]) {
  const slept: number[] = [];
  const left = [...ids];
  const readFacts = () => {
    const id = left.shift() ?? "";
    const cluster = { id, name: "prod", endpoint: "", versions: [] };
    return Promise.resolve<Facts>({ cluster, nodes: [], readAt: 0 });
  };
  const clock = {
    now: () => 0,
    sleep: (ms: number) => Promise.resolve(void slept.push(ms)),
  };
  return { slept, read: () => readKnown({ readFacts }, clock) };
}

Deno.test("a cluster that does not say who it is is asked again, and then refused: status 4", async () => {
  const late = ask("", "", "c1");
  assert.equal((await late.read()).cluster.id, "c1");
  assert.deepEqual(late.slept, [1_000, 1_000]);
  const never = ask("", "", "", "c1");
  await assert.rejects(never.read(), {
    name: "TimeoutError",
    status: 4,
    message: "No node reported its cluster",
  });
});

/** A cluster none of whose endpoints answers at first, read by a run that is resumed. */
function booting(failures: number, error: Error) {
  const [notes, slept]: [string[], number[]] = [[], []];
  let left = failures;
  let now = 0;
  const cluster = { id: "c1", name: "prod", endpoint: "", versions: [] };
  const readFacts = () =>
    left-- > 0
      ? Promise.reject(error)
      : Promise.resolve<Facts>({ cluster, nodes: [], readAt: 0 });
  const clock = {
    now: () => now,
    sleep: (ms: number) => Promise.resolve(void slept.push(now += ms)),
  };
  const { signal } = new AbortController();
  const note = (text: string) => void notes.push(text);
  const read = () => readWhenBack({ readFacts }, { clock, signal, note });
  return { notes, slept, read };
}

Deno.test("a run that is resumed waits for an endpoint to answer, for five minutes at most", async () => {
  const refused = new ConnectError("refused", "Cannot connect to a");
  const back = booting(2, refused);
  assert.equal((await back.read()).cluster.id, "c1");
  assert.deepEqual(back.slept, [2_000, 4_000]);
  const text = "Waiting up to 5m for the nodes: Cannot connect to a";
  assert.deepEqual(back.notes, [text]);
  const never = booting(1_000, refused);
  await assert.rejects(never.read(), refused);
  assert.equal(never.slept.at(-1), 300_000);
});
