import assert from "node:assert/strict";
import { killedAt, type Trial, type When } from "./_killing.ts";

const pace = { bootMs: 200, stopMs: 50, downMs: 200, installMs: 200 };

/** Commands, and the calls by which they change something. */
const trials: readonly (Trial & {
  /** Names of the calls, in order. */
  readonly calls: readonly string[];
})[] = [
  {
    line: "reboot",
    calls: ["Reboot"],
    cluster: { workers: 1, pace },
    boots: 1,
  },
  {
    line: "reset --yes --reboot --system-labels-to-wipe EPHEMERAL",
    calls: ["Reset"],
    cluster: { workers: 1, pace },
    boots: 1,
  },
  {
    line: "upgrade --to v1.12.2",
    calls: ["Upgrade"],
    cluster: { workers: 1, pace, release: { tag: "v1.12.1" } },
    boots: 1,
    installs: 1,
  },
  {
    line: "upgrade --to v1.13.1",
    calls: ["Pull", "PATCH", "POST", "Upgrade", "Reboot"],
    cluster: { workers: 2, pace, release: { tag: "v1.13.0" } },
    boots: 1,
    installs: 1,
  },
  {
    line: "bootstrap",
    calls: ["Bootstrap"],
    cluster: { bootstrapped: false, pace },
    boots: 0,
  },
];

/** Behind these comes another one of them. */
const early: ReadonlySet<string> = new Set(["Pull", "PATCH", "POST"]);

/** What is tried that takes many minutes: `calls`, or `all`. */
const wanted = Deno.env.get("OSCTL_MATRIX");

// There is no SIGKILL.
const cannot = Deno.build.os === "windows";

for (const trial of trials) {
  Deno.test({
    name: `${trial.line} happens once, at whichever call its client is killed`,
    ignore: cannot || wanted !== "calls" && wanted !== "all",
    async fn(test) {
      let killed = true;
      for (let number = 1; killed; number++) {
        // At the last one the client comes to its end.
        await test.step(`call ${number}`, async () => {
          ({ killed } = await killedAt(trial, { number }));
        });
        assert.ok(killed || number > trial.calls.length);
      }
    },
  });
  for (const call of trial.calls) {
    const behind: readonly When[] = early.has(call) ? [] : [{ behind: call }];
    const moments: readonly When[] = [{ at: call }, ...behind];
    for (const moment of moments) {
      const where = "at" in moment ? `at ${call}` : `behind ${call}`;
      Deno.test({
        name: `${trial.line} happens once when its client is killed ${where}`,
        ignore: cannot,
        async fn() {
          const { killed, resumed } = await killedAt(trial, moment);
          assert.deepEqual([killed, resumed], [true, true]);
        },
      });
    }
  }
}
