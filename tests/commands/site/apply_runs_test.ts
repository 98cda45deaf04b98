import assert from "node:assert/strict";
import { noStore } from "../../../simulator/cluster/saved_state.ts";
import { pause } from "../../../lib/pause.ts";
import { eventsIn } from "../runbook/_home.ts";
import { withLiveSite } from "./_live.ts";

/** Rollouts over sockets. */
export const longestSeconds = 120;

Deno.test("site apply is a run as any other: one at a time, stopped, watched, reported and resumed", async () => {
  let meanwhile: (() => Promise<void>) | undefined;
  const store = {
    ...noStore,
    async write(path: string) {
      // The first worker has its new configuration, and has not answered yet.
      if (!path.includes("worker-1")) return;
      const act = meanwhile;
      meanwhile = undefined;
      await act?.();
    },
  };
  await withLiveSite(
    async ({ osctl, folder, edit, ids, home, journal, cluster }) => {
      await edit("all/a.yaml", "machine: {sysctls: {a: '1'}}\n");
      const line = `site apply --site ${folder} --yes`;
      const during: Awaited<ReturnType<typeof osctl>>[] = [];
      meanwhile = async () => {
        const [id = ""] = await ids();
        during.push(await osctl(line));
        during.push(await osctl(`site plan --site ${folder}`));
        during.push(await osctl(`runbook stop ${id}`));
        const read = () =>
          Deno.readTextFile(`${home}/runs/${id}/journal.jsonl`);
        while (!(await read()).includes('"type":"stop"')) await pause(20);
      };
      const junit = `${home}/junit.xml`;
      const first = await osctl(
        `${line} --junit ${junit} --events-file ${home}/events -o json`,
      );
      assert.equal(meanwhile, undefined);
      assert.equal(first.status, 75, first.err);
      const [id = ""] = await ids();
      const [second, planned, stopped] = during;
      assert.equal(second?.status, 8, second?.err);
      assert.match(second.err, new RegExp(`^error: .*${id}`, "m"));
      assert.match(planned?.out ?? "", new RegExp(id));
      assert.equal(stopped?.status, 0, stopped?.err);
      assert.equal((await ids()).length, 1);
      const report = JSON.parse(first.out);
      assert.deepEqual([report.run, report.state, report.next], [
        id,
        "stopped",
        `osctl runbook resume ${id}`,
      ]);
      const xml = await Deno.readTextFile(junit);
      assert.match(xml, /<testsuite name="site-apply" /);
      const events = eventsIn(await Deno.readTextFile(`${home}/events`));
      assert.ok(events.some(({ type }) => type === "run.stopping"));
      const state = await osctl(`site status --site ${folder}`);
      assert.match(
        state.out,
        new RegExp(
          `^Site: .*, no git commit\nLast run: ${id} stopped, started (now|\\d+ (second|minute)s? ago)$`,
          "m",
        ),
      );
      assert.match(state.out, /^Nodes equal: w-1$/m);

      const resumed = await osctl(
        `runbook resume ${id} --yes --junit ${junit}`,
      );
      assert.equal(resumed.status, 0, resumed.err);
      const watched = await osctl(`runbook status ${id} --watch`);
      assert.equal(watched.status, 0, watched.err);
      assert.match(watched.out, /^site-apply on simulated succeeded\n/);
      const diff = await osctl(`site diff --site ${folder} --exit-code`);
      assert.equal(diff.status, 0, diff.out);
      const sent = (await journal(id)).filter(({ type }) => type === "intent");
      assert.equal(sent.length, cluster.nodes.length);
      const done = await Deno.readTextFile(junit);
      assert.match(done, /<testsuite name="site-apply" [^>]*failures="0"/);
    },
    { store },
  );
});
