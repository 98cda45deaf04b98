import assert from "node:assert/strict";
import { defaultInstaller } from "../../config/releases.ts";
import { withWire } from "../_wire.ts";
import { pace, withWorkers } from "./_workers.ts";
import { minor, nextTag, quote, tag } from "../_version.ts";

/** Message about a worker that osctl has drained; up to v1.12 nodes drain themselves. */
function uncordonLine(worker: number): string {
  return minor < 13 ? "" : `; simulated-worker-${worker} is uncordoned`;
}

Deno.test("upgrade gives nodes another version, and rollback the one before", async () => {
  await withWorkers(2, async ({ on, names, cluster }) => {
    const upgraded = await on([1, 2], `upgrade --to ${nextTag}`);
    assert.equal(upgraded.status, 0, upgraded.err);
    assert.deepEqual(
      upgraded.out.trimEnd().split("\n").slice(1).map((line) =>
        line.split(/ {2,}/)
      ),
      [
        [names[1], "done", `ready, ${nextTag}${uncordonLine(1)}`],
        [names[2], "done", `ready, ${nextTag}${uncordonLine(2)}`],
      ],
    );
    const again = await on([1], `upgrade --to ${nextTag} -o jsonl`);
    assert.equal(JSON.parse(again.out).outcome, "unchanged");
    const back = await on([1], "rollback -o jsonl");
    assert.deepEqual(JSON.parse(back.out), {
      node: names[1],
      outcome: "done",
      reason: `ready, ${tag}, was ${nextTag}`,
    });
    await cluster.settled();
  });
});

Deno.test("upgrade on nodes that come back with the old version says so, with their last words", async () => {
  await withWorkers(1, async ({ on, names, cluster }) => {
    await cluster.setFault(names[1] ?? "", "rolled-back");
    const { err, status } = await on([1], `upgrade --to ${nextTag}`);
    assert.match(
      err,
      new RegExp(
        `^error: \\S+ \\(\\S+\\): rolled-back: the node came back with ${
          quote(tag)
        }, not ${quote(nextTag)}(?:; \\S+ is uncordoned)?$`,
        "m",
      ),
    );
    assert.match(err, /^\S+: kernel: /m);
    assert.match(err, /^\S+: machined: /m);
    assert.equal(status, 1);
  });
});

Deno.test("upgrade on nodes that never return, or never reboot, ends in time", async () => {
  await withWorkers(2, async ({ on, names, cluster }) => {
    await cluster.setFault(names[1] ?? "", "never-returns");
    await cluster.setFault(names[2] ?? "", "never-reboots");
    const { err, status } = await on(
      [1, 2],
      `upgrade --to ${nextTag} --timeout 4s --max-unavailable 2`,
    );
    assert.match(
      err,
      new RegExp(`^error: \\S+ \\(${names[1]}\\): never-returned: `, "m"),
    );
    assert.match(
      err,
      new RegExp(`^error: \\S+ \\(${names[2]}\\): never-rebooted: `, "m"),
    );
    assert.equal(status, 4);
  });
});

Deno.test("upgrade whose reply is lost happens once, and is seen to be done", async () => {
  await withWorkers(1, async ({ on, names, cluster }) => {
    await cluster.setFault(names[1] ?? "", "reply-lost", {
      // Later nodes install in a call that reports its progress.
      method: minor < 13 ? "Upgrade" : "Reboot",
      calls: 1,
    });
    const { err, out, status } = await on(
      [1],
      `upgrade --to ${nextTag} -o jsonl`,
    );
    assert.match(err, /the reply was lost/);
    assert.equal(JSON.parse(out).outcome, "done");
    assert.equal(status, 0);
  });
});

Deno.test("upgrade does not need events, and ends soon after the node is ready", async () => {
  await withWorkers(1, async ({ on, names, cluster }) => {
    await cluster.setFault(names[1] ?? "", "stream-silence-after-ack");
    const { status, err } = await on([1], `upgrade --to ${nextTag}`);
    assert.equal(status, 0, err);
  });
});

Deno.test("upgrade with an image that does not exist, or one of three nodes down, reports node by node", async () => {
  await withWorkers(3, async ({ on, names, cluster }) => {
    await cluster.setFault(names[1] ?? "", "image-missing");
    await cluster.setFault(names[2] ?? "", "unavailable");
    const { out, err, status } = await on(
      [1, 2, 3],
      `upgrade --image ${
        defaultInstaller(nextTag)
      } --max-unavailable 3 -o jsonl`,
    );
    const rows = out.trimEnd().split("\n").map((row) => JSON.parse(row));
    assert.deepEqual(
      rows.map(({ node, outcome, error }) => [node, outcome ?? error.code])
        .toSorted(),
      [[names[1], "failed"], [names[2], "failed"], [names[3], "done"]],
    );
    assert.match(
      err,
      minor < 13 ? /error validating installer image/ : /error pulling image/,
    );
    assert.equal(status, 3);
  });
});

Deno.test("upgrade of a single control plane is refused, and allowed by name", async () => {
  await withWorkers(0, async ({ on }) => {
    const refused = await on([0], `upgrade --to ${nextTag}`);
    assert.match(refused.err, /S3; --allow single-member-downtime/);
    assert.equal(refused.status, 5);
    const allowed = await on(
      [0],
      `upgrade --to ${nextTag} --allow single-member-downtime`,
    );
    assert.equal(allowed.status, 0, allowed.err);
  });
});

Deno.test("rollback on a node without a system before says so", async () => {
  await withWorkers(1, async ({ on }) => {
    const { err, status } = await on([1], "rollback");
    assert.match(err, /failed: previous UKI not found/);
    assert.equal(status, 1);
  });
});

Deno.test("upgrade plan compares a real answer of a node", async () => {
  await withWorkers(1, async ({ on, names }) => {
    const { out } = await on([1], `upgrade plan --to ${nextTag} -o jsonl`);
    const { node, version, target, call, findings, refused } = JSON.parse(out);
    assert.deepEqual([node, version, target, call, findings, refused], [
      names[1],
      tag,
      nextTag,
      minor < 13 ? "legacy" : "lifecycle",
      [],
      null,
    ]);
  });
});

Deno.test("control planes are upgraded one after the other, by fresh facts of etcd", async () => {
  await withWire({ controlplanes: 3, pace }, async (wire) => {
    const { osctl, cluster } = wire;
    let most = 0;
    const watch = setInterval(() => {
      const away = cluster.nodes.filter(({ boot: { ready } }) => !ready).length;
      most = Math.max(most, away);
    }, 20);
    try {
      const { err, status } = await osctl(`upgrade --to ${nextTag} -n @all`);
      assert.equal(status, 0, err);
    } finally {
      clearInterval(watch);
    }
    assert.equal(most, 1);
  });
});
