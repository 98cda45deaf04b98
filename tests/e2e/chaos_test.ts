import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";
import { matrix, part, share, wanted } from "../_matrix.ts";
import { file, linux, namespaces, type Need, needs, root } from "../_needs.ts";
import {
  bare,
  type Chaos,
  findProblems,
  type Heard,
  renewal,
  type RunnerName,
  withChaos,
} from "./_chaos.ts";
import { fakeTimeLibrary } from "../../tools/robustness/osctl_process.ts";
import type { Ended } from "./_runs.ts";

/** Longest time of a test here. */
export const longestSeconds = 180;

const isWhole = wanted === "chaos" || wanted === "all";

/** Hosts of their own need a right of root's. */
const hosts = [linux, root, namespaces.host];
const fakeTime = file("faketime", fakeTimeLibrary, "faketime");

/** Longer than the lock of a runner lasts, in milliseconds. */
const longMs = 6_000;

/** Times each scene is played. */
const times = Number(Deno.env.get("OSCTL_CHAOS") ?? 2);

const heldElsewhere =
  /is running in another process: .* @ .*@chaos-[abc], process \d+ since/;
const wasLost =
  /has lost its lock on the cluster|is running in another process|not be renewed in time/;
const isOld = /This is an old copy of run/;

/** Nothing that must never be, as the nodes heard it, was; and nothing is left to do for any copy. */
async function settle(
  { home, heard, end, resume }: Chaos,
  runners: readonly RunnerName[],
): Promise<void> {
  await home.cluster.settled();
  assert.deepEqual(findProblems(heard, end()), [], JSON.stringify(heard));
  const before = heard.length;
  for (const name of runners) {
    const { status, err } = await resume(name).ended();
    assert.equal(status, 5, err);
    assert.match(err, /has ended: succeeded|old copy of run/);
  }
  assert.equal(heard.length, before, "I12: a run that has ended did something");
}

function sort(ends: readonly Ended[]) {
  const won = ends.filter(({ status }) => status === 0);
  return { won, refused: ends.filter(({ status }) => status !== 0) };
}

const scenes: Readonly<Record<string, (chaos: Chaos) => Promise<void>>> = {
  async "two runners at once"(chaos) {
    const ends = await Promise.all(
      [chaos.resume("a"), chaos.resume("b")].map((one) => one.ended()),
    );
    const { won, refused: [loser] } = sort(ends);
    assert.equal(won.length, 1, ends.map(({ err }) => err).join("\n"));
    assert.equal(loser?.status, 8, loser?.err ?? "");
    assert.match(loser?.err ?? "", heldElsewhere);
    await settle(chaos, ["a", "b"]);
  },
  async "three runners at once"(chaos) {
    const ends = await Promise.all(
      (["a", "b", "c"] as const).map((one) => chaos.resume(one).ended()),
    );
    const { won, refused } = sort(ends);
    assert.equal(won.length, 1, ends.map(({ err }) => err).join("\n"));
    for (const { status, err } of refused) assert.equal(status, 8, err);
    await settle(chaos, ["a", "b", "c"]);
  },
  async "one that is paused at its first restart for longer than its lock"(
    chaos,
  ) {
    const one = chaos.resume("a");
    await chaos.at("Reboot", () => one.kill("SIGSTOP"));
    await chaos.copy("a", "b");
    const other = await chaos.resume("b").ended();
    assert.equal(other.status, 0, other.err);
    one.kill("SIGCONT");
    const { status, err } = await one.ended();
    assert.equal(status, 8, err);
    assert.match(err, wasLost);
    await settle(chaos, ["a", "b"]);
  },
  async "one that is paused as it renews its lock before a restart"(chaos) {
    const one = chaos.resume("a");
    await chaos.at(renewal, () => one.kill("SIGSTOP"));
    await chaos.copy("a", "b");
    const other = await chaos.resume("b").ended();
    assert.equal(other.status, 0, other.err);
    one.kill("SIGCONT");
    const { status, err } = await one.ended();
    assert.equal(status, 8, err);
    assert.match(err, wasLost);
    await settle(chaos, ["a", "b"]);
  },
  async "one that is paused while two others try"(chaos) {
    const one = chaos.resume("a");
    await chaos.at("Reboot", () => one.kill("SIGSTOP"));
    await Promise.all([chaos.copy("a", "b"), chaos.copy("a", "c")]);
    const others = [chaos.resume("b").ended(), chaos.resume("c").ended()];
    const { won, refused: [loser] } = sort(await Promise.all(others));
    assert.equal(won.length, 1);
    assert.equal(loser?.status, 8, loser?.err ?? "");
    one.kill("SIGCONT");
    assert.equal((await one.ended()).status, 8);
    await settle(chaos, ["a", "b", "c"]);
  },
  async "one that is paused and continued while another waits for it"(chaos) {
    const one = chaos.resume("a");
    await chaos.at("Reboot", () => one.kill("SIGSTOP"));
    await chaos.copy("a", "b");
    const other = chaos.resume("b");
    // Any moment will do: the first continues.
    await pause(Math.random() * longMs);
    one.kill("SIGCONT");
    const { won, refused: [loser] } = sort(
      await Promise.all([one.ended(), other.ended()]),
    );
    assert.equal(won.length, 1, loser?.err ?? "");
    // Or it came when all was over.
    assert.match(
      loser?.err ?? "",
      new RegExp(`${wasLost.source}|${isOld.source}`),
    );
    await settle(chaos, ["a", "b"]);
  },
  async "one that is paused for longer than its lock, and nobody else"(chaos) {
    const one = chaos.resume("a");
    await chaos.at("Reboot", () => one.kill("SIGSTOP"));
    await pause(longMs);
    one.kill("SIGCONT");
    const { status, err } = await one.ended();
    assert.equal(status, 0, err);
    await settle(chaos, ["a"]);
  },
  async "an old copy"(chaos) {
    const one = chaos.resume("a");
    await chaos.at("Reboot", () => one.kill("SIGKILL"));
    await one.ended();
    const old = await chaos.resume("b").ended();
    assert.equal(old.status, 5, old.err);
    assert.match(old.err, isOld);
    const { status, err } = await chaos.resume("a").ended();
    assert.equal(status, 0, err);
    await settle(chaos, ["a", "b"]);
  },
  async "one that is killed, and two copies of what it left"(chaos) {
    const one = chaos.resume("a");
    await chaos.at("Reboot", () => one.kill("SIGKILL"));
    await one.ended();
    await Promise.all([chaos.copy("a", "b"), chaos.copy("a", "c")]);
    const others = [chaos.resume("b").ended(), chaos.resume("c").ended()];
    const { won, refused: [loser] } = sort(await Promise.all(others));
    assert.equal(won.length, 1, loser?.err ?? "");
    assert.equal(loser?.status, 8, loser?.err ?? "");
    await settle(chaos, ["a", "b", "c"]);
  },
};

/** Scenes in which clocks jump. */
const clocks: Readonly<Record<string, (chaos: Chaos) => Promise<void>>> = {
  async "one whose clock jumps by an hour, there and back"(chaos) {
    const clock = await chaos.clockFile("+0");
    const one = chaos.resume("a", { clock });
    await chaos.at("Reboot", () => Deno.writeTextFileSync(clock, "+3600"));
    const back = chaos.at(
      "Reboot",
      () => Deno.writeTextFileSync(clock, "+0"),
    );
    await chaos.copy("a", "b");
    const other = await chaos.resume("b").ended();
    assert.equal(other.status, 8, other.err);
    await back;
    const { status, err } = await one.ended();
    assert.equal(status, 0, err);
    await settle(chaos, ["a", "b"]);
  },
  async "others whose clocks are an hour off, and jump while they wait"(chaos) {
    const one = chaos.resume("a");
    await chaos.at("Reboot", () => {});
    await chaos.copy("a", "b");
    const clock = await chaos.clockFile("+3600");
    const other = chaos.resume("b", { clock });
    await pause(longMs / 8);
    await Deno.writeTextFile(clock, "+7200");
    const { status, err } = await other.ended();
    assert.equal(status, 8, err);
    const end = await one.ended();
    assert.equal(end.status, 0, end.err);
    await settle(chaos, ["a", "b"]);
  },
  async "one that is paused, taken over by one whose clock jumps"(chaos) {
    const one = chaos.resume("a");
    await chaos.at("Reboot", () => one.kill("SIGSTOP"));
    await chaos.copy("a", "b");
    const clock = await chaos.clockFile("+3600");
    const back = chaos.at(
      "Reboot",
      () => Deno.writeTextFileSync(clock, "+0"),
    );
    const other = chaos.resume("b", { clock });
    await back;
    one.kill("SIGCONT");
    const ends = await Promise.all([one.ended(), other.ended()]);
    assert.deepEqual(ends.map(({ status }) => status), [8, 0]);
    await settle(chaos, ["a", "b"]);
  },
};

/** A runner that reaches the nodes, and Kubernetes no more: another one continues, and it does nothing. */
async function cutOff(chaos: Chaos): Promise<void> {
  const { home, resume, at, copy } = chaos;
  const facts = home.cluster.nodes[0]!.cluster; // there is a control plane
  const { kubernetesUrl: url = () => undefined } = facts;
  const direct = new URL(url(facts.nodes[0]!.origin.address) ?? "");
  using way = forward(Number(direct.port));
  facts.kubernetesUrl = () => `https://127.0.0.1:${way.port}`;
  const one = resume("a");
  await at("Reboot", way.cut);
  facts.kubernetesUrl = url;
  await copy("a", "b");
  const other = await resume("b").ended();
  assert.equal(other.status, 0, other.err);
  // It would wait for Kubernetes for a quarter of an hour.
  one.kill("SIGINT");
  const { status, err } = await one.ended();
  assert.equal(status, 75, err);
  assert.match(
    err,
    /the run has lost its lock on the cluster: Cannot reach Kubernetes/,
  );
  await settle(chaos, ["b"]);
}

/** A way to a port of this machine that can be cut. */
function forward(port: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let isCut = false;
  const pipe = async (one: Deno.Conn) => {
    const other = await Deno.connect({ hostname: "127.0.0.1", port });
    open.add(one).add(other);
    const ways = [
      one.readable.pipeTo(other.writable),
      other.readable.pipeTo(one.writable),
    ];
    await Promise.allSettled(ways);
  };
  const close = (one: Deno.Conn) => {
    try {
      one.close();
    } catch {
      // Its other side was faster.
    }
  };
  const listening = (async () => {
    for await (const one of listener) {
      if (isCut) one.close();
      else pipe(one);
    }
  })();
  listening.catch(() => {});
  return {
    port: (listener.addr as Deno.NetAddr).port, // it listens to TCP
    cut() {
      isCut = true;
      open.forEach(close);
    },
    [Symbol.dispose]() {
      listener.close();
      open.forEach(close);
    },
  };
}

/** Scenes so far, of which each part of the matrix has its share. */
let count = 0;

/** Plays a scene some times when all are wanted; else once, if it is the one that is always played. */
function replay(
  name: string,
  { isAlways = false, wants = hosts, fn }: {
    readonly isAlways?: boolean;
    readonly wants?: readonly Need[];
    readonly fn: () => Promise<void>;
  },
): void {
  for (let time = 1; time <= (isWhole ? times : 1); time++) {
    const isHere = count++ % part.of === part.number - 1;
    Deno.test({
      name: `one run, one runner: ${name} (${time})`,
      ...needs(
        ...wants,
        ...isWhole ? [share(isHere)] : isAlways ? [] : [matrix("chaos")],
      ),
      fn,
    });
  }
}

for (const [name, play] of Object.entries(scenes)) {
  // The cheapest is played each time.
  const isAlways = name === "two runners at once";
  replay(name, { isAlways, fn: () => withChaos(play) });
}

for (const [name, play] of Object.entries(clocks)) {
  replay(name, { wants: [...hosts, fakeTime], fn: () => withChaos(play) });
}

replay("one that is cut off from Kubernetes, which its runbook does not need", {
  fn: () => withChaos(cutOff, bare),
});

Deno.test("chaos: requests at the nodes reveal each way in which two runners do harm", () => {
  const right: Heard = {
    runner: "a",
    node: "worker-1",
    method: "Reboot",
    holder: "r @ eve@chaos-a # 1 noon word",
    away: [],
  };
  const boots = { "worker-1": 2, "controlplane-1": 1 };
  const end = { boots, closed: [] };
  assert.deepEqual(findProblems([right], end), []);
  assert.deepEqual(
    findProblems([right, { ...right, runner: "b", away: ["worker-2"] }, {
      ...right,
      method: "Reset",
    }], {
      boots: { "worker-1": 3, "controlplane-1": 2 },
      closed: ["worker-2"],
    }),
    [
      'Reboot of worker-1 by b while "r @ eve@chaos-a # 1 noon word" held the cluster',
      "I2: Reboot of worker-1 by b while others were away: worker-2",
      "I1, I7, I8: Reset of worker-1 by a",
      "I3: 2 times Reboot of worker-1",
      "I3: worker-1 booted 3 times",
      "I3: controlplane-1 booted 2 times",
      "I5: worker-2 is closed",
    ],
  );
});
