import assert from "node:assert/strict";
import { CancelledError } from "../../../errors.ts";
import { writeSpec } from "../../../provisioners/embedded/folder.ts";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

const spec = { controlplanes: 2, workers: 0, kubernetesVersion: "1.34.1" };

Deno.test("cluster serve runs the nodes until it is terminated", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    await writeSpec({ state, name: "lab" }, spec);
    const stop = new AbortController();
    const line = `cluster serve --name lab --state ${state} -o jsonl`;
    const { out, err, status } = await run(line, {}, {
      signal: stop.signal,
      onWrite: () => stop.abort(new CancelledError("SIGTERM")),
    });
    const { name, endpoints } = JSON.parse(out);
    assert.deepEqual([name, endpoints.length], ["lab", 2]);
    assert.deepEqual([err, status], ["", 143]);
  });
});

Deno.test("cluster serve says what runs", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    await writeSpec({ state, name: "lab" }, spec);
    const stop = new AbortController();
    const { out } = await run(`cluster serve --name lab --state ${state}`, {}, {
      signal: stop.signal,
      onWrite: () => stop.abort(new CancelledError("SIGTERM")),
    });
    assert.equal(out, 'Cluster "lab" is running\n');
  });
});

Deno.test("cluster serve knows no cluster where there is none", async () => {
  await withFolder({}, async (state) => {
    const line = `cluster serve --name lab --state ${state}`;
    const { err, status } = await run(line);
    assert.equal(
      err,
      `error: Cannot find cluster "lab" in "${state}"
hint: List the clusters with: osctl cluster show --all
`,
    );
    assert.equal(status, 2);
  });
});
