import assert from "node:assert/strict";
import { newText } from "../../../commands/cluster/logs.ts";
import { poll } from "../../../lib/poll.ts";
import { start, withHome } from "../../_osctl.ts";
import { run } from "../../_run.ts";

Deno.test("cluster logs prints the consoles of all nodes, or of one", async () => {
  await withHome(async ({ osctl }) => {
    await osctl("cluster create embedded --pace instant --etcd model");
    const all = await osctl("cluster logs");
    assert.equal(all.status, 0, all.err);
    for (const node of ["controlplane-1", "worker-1"]) {
      assert.match(all.out, new RegExp(`^\\[os-default-${node}\\] \\[ `, "m"));
    }
    const one = await osctl("cluster logs os-default-worker-1");
    assert.match(one.out, /^\[ +\d+\.\d{6}\] .*\n/);
    assert.doesNotMatch(one.out, /os-default-controlplane-1\]/);
    const rows = await osctl("cluster logs os-default-worker-1 -o jsonl");
    const [row = ""] = rows.out.split("\n");
    assert.equal(JSON.parse(row).node, "os-default-worker-1");
  });
});

Deno.test("cluster logs --follow prints what a node says while it reboots, until it is interrupted", async () => {
  await withHome(async (home) => {
    const { osctl } = home;
    await osctl(
      "cluster create embedded --pace instant --etcd model --workers 0",
    );
    const before = await osctl("cluster logs");
    const follower = start(home, "cluster logs --follow");
    let text = "";
    const reading = follower.stdout.pipeThrough(new TextDecoderStream())
      .pipeTo(new WritableStream({ write: (part) => void (text += part) }));
    const { signal } = new AbortController();
    const until = async (length: number) => {
      for await (const _ of poll({ signal }, { everyMs: 50 })) {
        if (text.length >= length) return;
      }
    };
    await until(before.out.length);
    assert.ok(text.startsWith(before.out));
    const { err, status } = await osctl("cluster reboot");
    assert.equal(status, 0, err);
    await until(before.out.length + 1);
    assert.match(
      text.slice(before.out.length),
      /^\[os-default-controlplane-1\] \[ +\d+\.\d{6}\] /,
    );
    follower.kill("SIGINT");
    await reading;
    await follower.stderr.cancel();
    assert.equal((await follower.status).code, 130);
  });
});

Deno.test("cluster logs names a node and a cluster that do not exist", async () => {
  const { err, status } = await run(
    "cluster logs --name lab --state /nowhere web-1",
  );
  assert.match(err, /^error: Cannot find cluster "lab" in "\/nowhere"\n/);
  assert.equal(status, 2);
});

Deno.test("what is new in a console follows what was there, also after old lines went or another boot began", () => {
  const long = Array.from({ length: 200 }, (_, at) => `line ${at}\n`).join("");
  assert.equal(newText("", "a\nb\n"), "a\nb\n");
  assert.equal(newText("a\n", "a\nb\n"), "b\n");
  assert.equal(newText(long, `${long.slice(50)}new\n`), "new\n");
  assert.equal(newText("a\nb\n", "c\n"), "c\n");
});
