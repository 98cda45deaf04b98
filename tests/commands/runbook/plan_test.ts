import assert from "node:assert/strict";
import { quick, runbook, type RunHome, withRunHome } from "./_home.ts";

/** Plans a runbook. */
function plan(
  { osctl }: RunHome,
  file: string,
  ...flags: readonly string[]
) {
  return osctl(["runbook", "plan", file, ...flags]);
}

Deno.test("runbook plan shows what a run would do, and leaves no run behind", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    const page = await plan(home, file);
    assert.equal(
      page.out,
      `quick on simulated: A quick one

Steps
  1  preflight  holds now
  2  Approval   Touch 2 workers?
  3  workers    simulated-worker-1, -2; one at a time

Stops
  if a check fails: step 1
  at the first node that fails: step 3

Approvals
  step 2: --yes approves it

Takes
  less than a minute plus the time until someone approves (default times, as it has not run on this cluster yet)

Does not
  change other nodes, destroy data, reboot nodes

Every step on every node: --details, or -o html
`,
    );
    const { out, err, status } = await plan(home, file, "--details");
    assert.equal(status, 0, err);
    assert.equal(
      out,
      `quick on simulated: A quick one

STEP          NODE                STATE        WHAT
1 preflight                       holds        etcd.quorum: 1 of 1 voters healthy, 1 needed
2 Approval                        approval     Touch 2 workers? (--yes=start)
3 workers                                      simulated-worker-1, -2; one at a time; stops at the first node that fails
3 · cordon    simulated-worker-1  changes      cordon simulated-worker-1
3 · uncordon  simulated-worker-1  in any case  depends on the steps before it; now: nothing to do
3 · cordon    simulated-worker-2  changes      cordon simulated-worker-2
3 · uncordon  simulated-worker-2  in any case  depends on the steps before it; now: nothing to do

Takes less than a minute plus the time until someone approves (default times, as it has not run on this cluster yet)
`,
    );
    assert.deepEqual(await home.ids(), []);
  });
});

Deno.test("runbook plan changes nothing, so that the second plan is the first", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    const read = async () => {
      const { out } = await plan(home, file, "-o", "json");
      const { madeAt, ...rest } = JSON.parse(out);
      assert.ok(Date.parse(madeAt) > 0);
      return rest;
    };
    const first = await read();
    assert.deepEqual(await read(), first);
    assert.equal(first.v, 1);
    assert.deepEqual(Object.keys(first.facts), [
      "",
      "simulated-worker-1",
      "simulated-worker-2",
    ]);
  });
});

Deno.test("runbook plan --exit-code reports whether there is something to do", async () => {
  await withRunHome(async (home) => {
    const changing = await plan(home, await home.write(quick), "--exit-code");
    assert.equal(changing.status, 6);
    assert.equal(changing.err, "");
    assert.match(changing.out, /^quick on simulated/);
    const idle = runbook("  - { id: look, gate: etcd.quorum, within: 1m }\n");
    const nothing = await plan(home, await home.write(idle), "--exit-code");
    assert.equal(nothing.status, 0, nothing.err);
  });
});

Deno.test("runbook plan --limit plans only these nodes, and names those that are not there", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    const one = await plan(home, file, "--limit", "simulated-worker-2");
    assert.match(one.out, /Approval +Touch 1 workers\?/);
    const none = await plan(home, file, "--limit", "nobody");
    assert.match(none.err, /--limit: there is no node "nobody"/);
    assert.equal(none.status, 2);
  });
});

Deno.test("runbook plan refuses what a run would refuse before it begins", async () => {
  await withRunHome(async (home) => {
    const part = await plan(home, "builtin:node-reboot");
    assert.match(part.err, /"node-reboot" works on one node/);
    assert.equal(part.status, 2);
    const missing = await plan(home, "builtin:rolling-upgrade");
    assert.match(missing.err, /version/);
    assert.equal(missing.status, 2);
  });
});

Deno.test("runbook plan shows secrets by their names", async () => {
  await withRunHome(async (home) => {
    const text = runbook(
      "  - { id: rest, sleep: 1s }\n",
      "inputs: { key: { type: secret, required: true } }\n",
    );
    const { out, err } = await home.osctl([
      "runbook",
      "plan",
      await home.write(text),
      "--secret",
      "key=env:KEY",
      "-o",
      "json",
    ], { env: { KEY: "correct-horse-battery" } });
    assert.deepEqual(JSON.parse(out).inputs, { key: { secret: "input/key" } });
    assert.ok(!`${out}${err}`.includes("correct-horse"));
  });
});

Deno.test("runbook plan says when another run has the cluster", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    // No answer to its question, so that it has not ended.
    const { status } = await home.osctl(["runbook", "run", file]);
    assert.equal(status, 76);
    const [id = ""] = await home.ids();
    const { out } = await plan(home, file);
    assert.match(
      out,
      new RegExp(
        `^  S16: Run "${id}" \\(quick, of \\S+\\) is unfinished on this cluster$`,
        "m",
      ),
    );
    const free = await home.write(`${quick}policy: { lock: none }\n`);
    assert.doesNotMatch((await plan(home, free)).out, /S16/);
  });
});

Deno.test("a run is bound to the plan it is given, and refused when something has changed since", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    const { out } = await plan(home, file, "-o", "json");
    const kept = await home.write(out, "plan.json");
    const run = (...flags: readonly string[]) =>
      home.osctl(["runbook", "run", file, "--yes", "--plan", kept, ...flags]);
    const limited = await run("--limit", "simulated-worker-1");
    assert.match(
      limited.err,
      /^error: Cannot run "quick" with the plan of \S+: group "workers": simulated-worker-2 left$/m,
    );
    assert.equal(limited.status, 5);
    await home.write(quick.replace("batch: 1", "batch: 2"));
    const other = await run();
    assert.match(other.err, /the runbook, or one that it uses, has changed/);
    assert.equal(other.status, 5);
    assert.deepEqual(await home.ids(), []);
    await home.write(quick);
    const ran = await run("-o", "jsonl");
    assert.equal(ran.status, 0, ran.err);
    const [planned] = ran.out.split("\n");
    const { type, data } = JSON.parse(planned ?? "");
    assert.equal(type, "run.planned");
    assert.deepEqual(data.stages.at(-1), {
      path: "workers",
      verb: "forEach",
      nodes: 2,
    });
  });
});

Deno.test("programs on this machine are planned and run only when the operator allows it", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(runbook(
      `  - { id: tell, run: command, with: { program: printf, args: ['{"n":%d}', "7"] } }
`,
      'outputs: { n: "${{ steps.tell.data.n }}" }\n',
    ));
    const said = 'Runbook "quick" runs programs on this machine: "printf"';
    const refused = await plan(home, file);
    assert.equal(refused.status, 5);
    assert.ok(refused.err.includes(`${said} (Allow them with`), refused.err);
    assert.match(
      refused.out,
      /^ {2}1 {2}tell {2}run printf "\{\\"n\\":%d\}" 7 on this machine$/m,
    );
    const allowed = await plan(home, file, "--allow-commands");
    assert.equal(allowed.status, 0, allowed.err);
    const run = (...flags: readonly string[]) =>
      home.osctl(["runbook", "run", file, "-o", "json", ...flags]);
    const never = await run();
    assert.equal(never.status, 5);
    assert.equal(
      never.err,
      `error: ${said}\nhint: Allow them with --allow-commands\n`,
    );
    assert.deepEqual(await home.ids(), []);
    const done = await run("--allow-commands");
    assert.equal(done.status, 0, done.err);
    assert.deepEqual(JSON.parse(done.out).outputs, { n: 7 });
  });
});

Deno.test("runbook plan writes a page, one document, or a template; other formats are refused", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    const write = (...format: readonly string[]) =>
      plan(home, file, "-o", ...format);
    assert.match((await write("html")).out, /^<!doctype html>[^]*A quick one/);
    const { out } = await write("jsonl");
    assert.equal(JSON.parse(out).runbook, "quick");
    assert.equal(out.trimEnd().split("\n").length, 1);
    assert.equal((await write("jsonpath={.runbook}")).out, "quick\n");
    for (
      const [format, message] of [
        [
          "svg",
          "must be one of table, json, jsonl, yaml, html, jsonpath=<template>",
        ],
        ["jsonpath", "must include a template: jsonpath=<template>"],
      ] as const
    ) {
      const { err, status } = await write(format);
      assert.ok(err.includes(message), err);
      assert.equal(status, 2);
    }
  });
});
