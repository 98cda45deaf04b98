import assert from "node:assert/strict";

import { entries } from "../../../commands/_index.ts";
import type { IndexEntry } from "../../../commands/_kit/command.ts";
import { page } from "../../../commands/_kit/help.ts";
import { integer, toggle, word } from "../../../commands/_kit/inputs.ts";
import { run } from "../../_run.ts";

const entry: IndexEntry = {
  name: "image pull",
  summary: "Pull an image",
  aliases: ["image p"],
  section: "node",
  hidden: false,
  group: false,
};

const inputs = {
  image: word("reference"),
  tail: integer("lines from the end", { initial: -1 }),
  follow: toggle("follow", { short: "f", hidden: true }),
};

Deno.test("page keeps to the width of the terminal", () => {
  const command = {
    summary: "Pull an image",
    description:
      "Words that stand\non two lines, and so on.\n\n  kept   as it is",
    inputs,
    view: { kind: "bytes" as const },
    async *run() {},
  };
  const text = page(entry, { command }, [entry], {
    tail: integer("lines from the end of the log of a node", { initial: -1 }),
  }, 40);
  assert.match(
    text,
    /\n\nWords that stand on two lines, and so\non.\n\n {2}kept {3}as it is\n\nUsage/,
  );
  assert.match(
    text,
    /\n {6}--tail int {3}lines from the end of\n {19}the log of a node\n {19}\(default -1\)\n/,
  );
});

Deno.test("the commands of a group fit on a screen; those of groups inside are on their own pages", async () => {
  const { out } = await run("etcd", {});
  assert.match(out, /^ {2}etcd alarm +List and disarm etcd alarms$/m);
  assert.doesNotMatch(out, /etcd alarm list/);
  assert.match(out, /^ {2}etcd snapshot verify /m);
  for (const { name, group } of entries.filter(({ group }) => group)) {
    const page = await run(name);
    // A prompt of two lines below them.
    if (name === "runbook") continue;
    assert.ok(group && page.out.split("\n").length <= 22, page.out);
  }
});

Deno.test("the many commands of runbook are below headings, each once", async () => {
  const { out } = await run("runbook");
  const parts = out.split("\n\n").slice(2, -1);
  assert.deepEqual(parts.map((part) => part.split("\n")[0]), [
    "Run a runbook:",
    "Watch and control runs:",
    "Write runbooks:",
  ]);
  const found = parts.flatMap((part) =>
    part.match(/(?<=^ {2})runbook \S+/gm) ?? []
  );
  const wanted = entries.filter(({ name, hidden }) =>
    !hidden && name.startsWith("runbook ")
  ).map(({ name }) => name);
  assert.deepEqual(found.toSorted(), wanted.toSorted());
  for (const part of parts) assert.ok(part.split("\n").length <= 14, part);
});

Deno.test("the list of commands begins with what looks into nodes; images of an air gap are below preparations", async () => {
  const { out } = await run("--help");
  assert.match(out, /^Inspect nodes:\n {2}cgroups /m);
  assert.match(
    out,
    /^Prepare configurations and images:\n {2}airgap [^]*^Create local clusters:\n {2}cluster /m,
  );
});

Deno.test("cluster create names simulated nodes before virtual machines", async () => {
  const { out } = await run("cluster create --help");
  assert.match(out, /^[^\n]+\n\nStart with "cluster create embedded":/);
  assert.match(
    out,
    /^Commands:\n {2}cluster create embedded .*\n {2}cluster create docker .*\n {2}cluster create qemu /m,
  );
});
