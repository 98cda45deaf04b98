import assert from "node:assert/strict";
import { matrix, part, unless } from "../_matrix.ts";
import { needs, posix } from "../_needs.ts";
import { killAt, type Trial, type When } from "./_kill_at_call.ts";

/** Waits for what must not come take a minute each. */
export const longestSeconds = 180;

const pace = { bootMs: 200, stopMs: 50, downMs: 200, installMs: 200 };

/** Commands, and the calls by which they change something. */
const trials: readonly (Trial & {
  readonly calls: number;
  readonly moment: When;
  /** True if the same line is typed again, since it has no journal. */
  readonly isRepeated?: boolean;
})[] = [
  {
    line: "reboot",
    calls: 1,
    moment: { behind: "Reboot" },
    cluster: { workers: 1, pace },
    boots: 1,
  },
  {
    line: "reset --yes --reboot --system-labels-to-wipe EPHEMERAL",
    calls: 1,
    moment: { at: "Reset" },
    cluster: { workers: 1, pace },
    boots: 1,
  },
  {
    line: "upgrade --to v1.12.2",
    calls: 1,
    moment: { behind: "Upgrade" },
    cluster: { workers: 1, pace, release: { tag: "v1.12.1" } },
    boots: 1,
    installs: 1,
  },
  {
    line: "upgrade --to v1.13.1",
    calls: 5,
    moment: { at: "Upgrade" },
    cluster: { workers: 2, pace, release: { tag: "v1.13.0" } },
    boots: 1,
    installs: 1,
  },
  {
    line: "bootstrap",
    calls: 1,
    moment: { at: "Bootstrap" },
    cluster: { bootstrapped: false, pace },
    boots: 0,
  },
  {
    line: "image remove registry.k8s.io/kube-proxy:v1.34.1",
    calls: 1,
    moment: { at: "Remove" },
    isRepeated: true,
    cluster: { release: { tag: "v1.13.9" } },
    boots: 0,
  },
  {
    line: "wipe lv data/db --yes",
    calls: 1,
    moment: { at: "LogicalVolumeRemove" },
    cluster: {
      release: { tag: "v1.14.0-rc.1" },
      userDisks: [{
        name: "vdb",
        partitions: [{ number: 1, filesystem: "lvm2-pv" }],
        group: { name: "data", volumes: ["db"] },
      }],
    },
    boots: 0,
  },
];

for (const trial of trials) {
  const { line, calls, moment, isRepeated = false } = trial;
  Deno.test({
    name: `${line} happens once when its client is killed ${
      momentText(moment)
    }`,
    // The matrices try whichever call.
    ...needs(posix, unless("all")),
    async fn() {
      const { killed, resumed, status } = await killAt(trial, moment);
      assert.deepEqual([killed, resumed, status], [true, !isRepeated, 0]);
    },
  });
  Deno.test({
    name: `${line} happens once, at whichever call its client is killed`,
    ...needs(posix, matrix("all")),
    async fn(test) {
      let killed = true;
      for (let number = part.number; killed; number += part.of) {
        // At the last one the client comes to its end.
        await test.step(`call ${number}`, async () => {
          ({ killed } = await killAt(trial, { number }));
        });
        assert.ok(killed || number > calls);
      }
    },
  });
}

function momentText(moment: When): string {
  if ("number" in moment) return `at call ${moment.number}`;
  return "at" in moment ? `at ${moment.at}` : `behind ${moment.behind}`;
}
