import assert from "node:assert/strict";
import { CancelledError } from "../../errors.ts";
import { withWire } from "../_wire.ts";

interface Seen {
  readonly id?: string;
  readonly event?: string;
  readonly gap?: string;
  readonly source?: string;
}

const parseRows = (out: string): Seen[] =>
  out.trimEnd().split("\n").map((row) => JSON.parse(row));

Deno.test("events --tail shows the last events of a simulated node", async () => {
  await withWire({}, async ({ osctl }) => {
    const stop = new AbortController();
    const { out, err, status } = await osctl("events --tail 2 -o jsonl", {
      signal: stop.signal,
      onWrite(out) {
        if (out.split("\n").length > 2) stop.abort(new CancelledError());
      },
    });
    assert.deepEqual(
      parseRows(out).map(({ event, source }) => [event, source]),
      [
        ["machine.SequenceEvent", "boot"],
        ["machine.MachineStatusEvent", "RUNNING"],
      ],
    );
    assert.deepEqual({ err, status }, { err: "", status: 130 });
  });
});

Deno.test("events continue where their stream broke, none twice and none lost", async () => {
  await withWire({}, async ({ osctl, cluster, names: [node = ""] }) => {
    async function last(count: number, gaps: number) {
      const stop = new AbortController();
      const { out } = await osctl(`events --tail ${count} -o jsonl`, {
        signal: stop.signal,
        onWrite(out) {
          const rows = out.split("\n").length - 1;
          if (rows === count + gaps) stop.abort(new CancelledError());
        },
      });
      return parseRows(out).map(({ id, gap }) => gap ?? id);
    }
    const [one, two, three, four] = await last(4, 0);
    // The greeting and two events get through.
    await cluster.setFault(node, "stream-drop", {
      method: "Events",
      calls: 1,
      afterMessages: 3,
    });
    assert.deepEqual(await last(4, 1), [
      one,
      two,
      "connection lost",
      three,
      four,
    ]);
  });
});

Deno.test("events continue after a reboot with those of the new boot, none twice", async () => {
  await withWire({ workers: 1 }, async ({ osctl, cluster, names }) => {
    const [, worker = ""] = names;
    const stop = new AbortController();
    let rebooted: Promise<void> | undefined;
    const ran = await osctl(`events -n ${worker} --tail 1 -o jsonl`, {
      signal: stop.signal,
      onWrite(out) {
        rebooted ??= cluster.reboot(worker);
        const gap = out.indexOf('"gap"');
        if (gap >= 0 && out.includes('"ready: true, ', gap)) {
          rebooted.then(() => stop.abort(new CancelledError()));
        }
      },
    });
    const rows = parseRows(ran.out);
    // On a busy machine the connection is made anew before the node goes down.
    assert.deepEqual(
      rows.flatMap(({ gap }) => gap ?? [])
        .filter((gap) => gap !== "connection lost"),
      ["node rebooted"],
    );
    const gap = rows.findIndex((row) => row.gap === "node rebooted");
    for (const boot of [rows.slice(0, gap), rows.slice(gap + 1)]) {
      assert.equal(new Set(boot.map(({ id }) => id)).size, boot.length);
    }
    const sources = rows.slice(gap).map(({ source }) => source);
    assert.ok(sources.includes("boot"), sources.join(" "));
    assert.match(ran.err, /^--- .*: connection lost, reconnecting ---\n/);
    assert.equal(ran.status, 130);
  });
});
