import assert from "node:assert/strict";
import { withDisk } from "../_full_disk.ts";
import { namespaces, needs, root } from "../_needs.ts";
import { quick } from "../commands/runbook/_home.ts";
import type { Pod } from "../workflows/runbooks/fleet/_workflow.ts";
import {
  atWork,
  away,
  beganRest,
  drained,
  drainedAtOnce,
  evicted,
  expectOneRestart,
  listAttempts,
  listRuns,
  type Play,
  podEnd,
  runKilled,
  start,
  toItsEnd,
  withFleet,
} from "./_fleet.ts";
import { restarts, type RunProcess } from "./_runs.ts";

Deno.test("pods that are drained or evicted are followed by others, and each node restarts once", async () => {
  await withFleet(restarts, async (fleet) => {
    const workflow = fleet.submit(
      "8f14e45f",
      drainedAtOnce,
      drained,
      evicted,
    );
    const end = await workflow.run();
    assert.deepEqual(listAttempts(end), [
      "Failed 143",
      "Failed 75",
      "Failed -1",
      "Succeeded -1",
    ]);
    assert.deepEqual([end.phase, beganRest(end)], ["Succeeded", true]);
    await expectOneRestart(fleet);
  });
});

Deno.test("pods that are killed, or lost with their node, are followed by others, and each node restarts once", async () => {
  await withFleet(restarts, async (fleet) => {
    const workflow = fleet.submit(
      "8f14e45f",
      runKilled({ phase: "Deleted" }),
      runKilled(podEnd(137, "OOMKilled")),
    );
    const end = await workflow.run();
    assert.deepEqual(listAttempts(end), [
      "Error -1",
      "Failed 137",
      "Succeeded -1",
    ]);
    assert.equal(end.phase, "Succeeded");
    await expectOneRestart(fleet);
  });
});

Deno.test("a run that needs a person ends its wave; approved, it continues with argo retry, for a day", async () => {
  await withFleet(quick, async (fleet) => {
    const workflow = fleet.submit("8f14e45f");
    const asked = await workflow.run();
    assert.deepEqual(
      [asked.phase, listAttempts(asked), beganRest(asked), asked.report],
      ["Failed", ["Failed 76"], false, { phase: "Failed", exitCode: 76 }],
    );
    // As docs/runbooks/fleet.md says.
    const folder = fleet.chooseFolder("persistentVolumeClaim/osctl-runs");
    const approve = () =>
      fleet.osctl("runbook approve last", {
        env: { OS_HOME: `${folder}/lab-1` },
        now: () => new Date(fleet.clock.now()),
      });
    assert.match((await approve()).out, /is approved until/);
    await fleet.clock.sleep(25 * 3_600_000);
    assert.deepEqual(listAttempts(await workflow.run()), ["Failed 76"]);
    assert.match((await approve()).out, /is approved until/);
    await fleet.clock.sleep(23 * 3_600_000);
    const end = await workflow.run();
    assert.deepEqual(
      [end.phase, listAttempts(end), beganRest(end), end.report],
      ["Succeeded", ["Succeeded -1"], true, { phase: "Succeeded" }],
      workflow.told.join("\n"),
    );
    assert.equal((await listRuns(fleet)).length, 1);
  });
});

/** Restarts workers that have pulled an image. */
const pulls = restarts.replace(
  "      - { id: cordon",
  "      - { id: pull, run: image.pull, with: { image: docker.io/library/a } }\n" +
    "      - { id: cordon",
);

Deno.test("a run that fails is not repeated; with its cause gone it continues with argo retry", async () => {
  await withFleet(pulls, async (fleet) => {
    const [, ...workers] = fleet.names;
    const missing = (isOn: boolean) =>
      Promise.all(
        workers.map((node) =>
          fleet.cluster.setFault(node, "image-missing", isOn ? {} : false)
        ),
      );
    await missing(true);
    const workflow = fleet.submit("8f14e45f");
    const end = await workflow.run();
    assert.deepEqual(
      [end.phase, listAttempts(end), beganRest(end), end.report],
      ["Failed", ["Failed 1"], false, { phase: "Failed", exitCode: 1 }],
      workflow.told.join("\n"),
    );
    await missing(false);
    const again = await workflow.run();
    assert.deepEqual(
      [again.phase, listAttempts(again), beganRest(again), again.report],
      ["Succeeded", ["Succeeded -1"], true, { phase: "Succeeded" }],
      workflow.told.join("\n"),
    );
    await expectOneRestart(fleet);
  });
});

Deno.test("a workflow that is out of time stops its runs at a safe point; argo retry continues, also after a day", async () => {
  await withFleet(restarts, async (fleet) => {
    /** The kubelet ends the pod then. */
    const late: Play = async (pod, { clock }) => {
      const process = await atWork(pod, fleet);
      const left = (pod.deadline ?? Infinity) - clock.now();
      assert.ok(left > 29.9 * 3_600_000 && left <= 30 * 3_600_000, `${left}`);
      await clock.sleep(left);
      process.kill("SIGTERM");
      return podEnd((await process.ended()).status, "DeadlineExceeded");
    };
    const workflow = fleet.submit("8f14e45f", late);
    const end = await workflow.run();
    assert.deepEqual(
      [end.phase, listAttempts(end), beganRest(end), end.report],
      ["Failed", ["Failed 75"], false, { phase: "Failed", exitCode: 75 }],
    );
    await fleet.clock.sleep(24 * 3_600_000);
    const again = await workflow.run();
    assert.deepEqual(
      [again.phase, listAttempts(again), beganRest(again)],
      ["Succeeded", ["Succeeded -1"], true],
    );
    await expectOneRestart(fleet);
  });
});

Deno.test("of two pods with one key one works; the other ends with 8, and argo retry finds the run done", async () => {
  await withFleet(restarts, async (fleet) => {
    const { promise: first, resolve } = Promise.withResolvers<RunProcess>();
    /** The management cluster has lost the machine, which works on. */
    const cutOff: Play = async (pod) => {
      const process = await atWork(pod, fleet, {
        env: { OSCTL_LEASE_DURATION: "60s" },
      });
      // It must not be done before the other one has looked.
      process.kill("SIGSTOP");
      resolve(process);
      return { phase: "Deleted" };
    };
    const workflow = fleet.submit("8f14e45f", cutOff);
    const end = await workflow.run();
    assert.deepEqual(listAttempts(end), ["Error -1", "Failed 8"]);
    assert.match(workflow.told.join(""), /is running in another process/);
    const process = await first;
    process.kill("SIGCONT");
    assert.equal((await process.ended()).status, 0);
    const again = await workflow.run();
    assert.deepEqual(
      [again.phase, listAttempts(again)],
      ["Succeeded", ["Succeeded -1"]],
    );
    await expectOneRestart(fleet);
  });
});

Deno.test("of two workflows on one cluster the second begins when the mutex of the first is free, behind all of its pods", async () => {
  await withFleet(restarts, async (fleet) => {
    const order: string[] = [];
    const noted = (name: string, play: Play): Play => async (pod, all) => {
      order.push(`${name} ${pod.attempt} starts`);
      const end = await play(pod, all);
      order.push(`${name} ${pod.attempt} ends`);
      return end;
    };
    const undisturbed: Play = (pod) => toItsEnd(pod, fleet, order);
    const first = fleet.submit(
      "8f14e45f",
      noted("first", drained),
      noted("first", undisturbed),
    );
    const second = fleet.submit("c9f0f895", noted("second", undisturbed));
    const ends = await Promise.all([first.run(), second.run()]);
    assert.deepEqual(
      ends.map((end) => [end.phase, listAttempts(end)]),
      [
        ["Succeeded", ["Failed 75", "Succeeded -1"]],
        ["Succeeded", ["Succeeded -1"]],
      ],
    );
    assert.deepEqual(order.filter((line) => /^(first|second) /.test(line)), [
      "first 1 starts",
      "first 1 ends",
      "first 2 starts",
      "first 2 ends",
      "second 1 starts",
      "second 1 ends",
    ]);
    assert.equal((await listRuns(fleet)).length, 2);
  });
});

Deno.test("a workflow that gets the mutex while the run of another is unfinished ends with 8", async () => {
  await withFleet(quick, async (fleet) => {
    const [first, second] = ["8f14e45f", "c9f0f895"].map((uid) =>
      fleet.submit(uid)
    );
    assert.ok(first && second);
    const ends = await Promise.all([first.run(), second.run()]);
    assert.deepEqual(ends.map(listAttempts), [["Failed 76"], ["Failed 8"]]);
    assert.match(second.told.join(""), /is unfinished on this cluster/);
    assert.equal((await listRuns(fleet)).length, 1);
  });
});

Deno.test({
  name:
    "a run whose volume is full sends nothing more, and continues with argo retry when there is room",
  ...needs(root, namespaces.mount),
  async fn() {
    await withFleet(restarts, async (fleet) => {
      const volume = fleet.chooseFolder("persistentVolumeClaim/osctl-runs");
      await Deno.mkdir(volume, { recursive: true });
      await withDisk(volume, async (disk) => {
        const filled: Play = async (pod) => {
          const process = await atWork(pod, fleet);
          await disk.fill();
          const { status, err } = await process.ended();
          assert.match(
            err,
            /error: Cannot write the journal of the run: no space left on the disk\n/,
          );
          return podEnd(status);
        };
        const tooLate: Play = (pod) => toItsEnd(pod, fleet, workflow.told);
        const workflow = fleet.submit("8f14e45f", tooLate, filled);
        // Nothing has begun, so nothing is there.
        await disk.fill();
        const early = await workflow.run();
        assert.deepEqual(
          [listAttempts(early), early.report],
          [["Failed 2"], { phase: "Failed", exitCode: 2 }],
        );
        assert.match(
          workflow.told[0] ?? "",
          /no space left on the disk\nhint: Free disk space, then try again\n/,
        );
        assert.match(workflow.told[1] ?? "", /There are no matching runs/);
        for (const left of ["runs", "run-keys"]) {
          const place = `${volume}/lab-1/${left}`;
          assert.deepEqual(await Array.fromAsync(Deno.readDir(place)), []);
        }
        await disk.clear();
        const end = await workflow.run();
        assert.deepEqual(
          [end.phase, listAttempts(end), beganRest(end), end.report],
          ["Failed", ["Failed 1"], false, { phase: "Failed", exitCode: 75 }],
        );
        // It is still full.
        const full = await workflow.run();
        assert.deepEqual(
          listAttempts(full),
          ["Failed 1"],
          workflow.told.at(-2),
        );
        await disk.clear();
        const again = await workflow.run();
        assert.deepEqual(
          [again.phase, listAttempts(again)],
          ["Succeeded", ["Succeeded -1"]],
          workflow.told.join("\n"),
        );
        await expectOneRestart(fleet);
      });
    });
  },
});

Deno.test("a run continues with another version of osctl, but not with one that its runbook does not allow", async () => {
  const runbook = restarts.replace(
    "groups:",
    'requires: { osctl: ">=1.4.0" }\ngroups:',
  );
  await withFleet(runbook, async (fleet) => {
    const imageVersion = ({ image }: Pod) => `v${image.split(":").at(-1)}`;
    /** Out of time with one version. */
    const late: Play = async (pod, { clock }) => {
      const process = start(pod, fleet, { version: imageVersion(pod) });
      await process.tells(away);
      await clock.sleep(30 * 3_600_000);
      process.kill("SIGTERM");
      return podEnd((await process.ended()).status);
    };
    const toEnd: Play = async (pod) => {
      const process = start(pod, fleet, { version: imageVersion(pod) });
      const { status, err } = await process.ended();
      workflow.told.push(err);
      return podEnd(status);
    };
    const workflow = fleet.submit("8f14e45f", late, toEnd, toEnd);
    assert.deepEqual(listAttempts(await workflow.run()), ["Failed 75"]);
    const older = { "osctl-image": "registry.example/osctl:1.3.9" };
    assert.deepEqual(listAttempts(await workflow.run(older)), ["Failed 2"]);
    assert.match(
      workflow.told.join("\n"),
      /needs osctl >=1\.4\.0, and this is v1\.3\.9/,
    );
    const newer = { "osctl-image": "registry.example/osctl:1.5.0" };
    assert.deepEqual(listAttempts(await workflow.run(newer)), ["Succeeded -1"]);
    assert.match(
      workflow.told.join("\n"),
      /osctl v1\.4\.0 started the run; this is v1\.5\.0/,
    );
    await expectOneRestart(fleet);
  });
});
