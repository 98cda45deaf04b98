import assert from "node:assert/strict";
import { type AnyRow, watchedRows } from "../../../commands/_kit/watch_rows.ts";
import { NodesError, OsctlError } from "../../../errors.ts";
import { table } from "../../../terminal/view.ts";
import { run } from "../../_run.ts";

interface Row extends AnyRow {
  readonly node: string;
  readonly id: string;
  readonly state: string;
}

const view = table<AnyRow>({
  NODE: ({ node }) => String(node),
  ID: (row) => (row as Row).id,
});

const row = (node: string, id: string, state: string): Row => ({
  node,
  id,
  state,
});

/** Watches lists that are given one after the other; an error ends a list. */
async function watch(
  lists: readonly (readonly (Row | Error)[])[],
): Promise<
  { readonly rows: readonly string[]; readonly notes: readonly string[] }
> {
  const stop = new AbortController();
  const notes: string[] = [];
  let at = 0;
  async function* read() {
    for (const one of lists[at++] ?? []) {
      if (one instanceof Error) throw one;
      yield one;
    }
  }
  const rows = await Array.fromAsync(
    watchedRows(read, {
      view,
      signal: stop.signal,
      note: (text) => notes.push(text),
      wait() {
        if (at === lists.length) stop.abort();
        return Promise.resolve();
      },
    }),
    (one) => {
      const { event, node, id, state } = one as Row & { event: string };
      return `${event} ${node} ${id} ${state}`;
    },
  );
  return { rows, notes };
}

Deno.test("a watched list gives what is new, changed and gone", async () => {
  const { rows } = await watch([
    [row("a", "x", "up"), row("a", "y", "up")],
    [row("a", "x", "up"), row("a", "y", "down")],
    [row("a", "y", "down"), row("b", "z", "up")],
  ]);
  assert.deepEqual(rows, [
    "created a x up",
    "created a y up",
    "updated a y down",
    "created b z up",
    "destroyed a x up",
  ]);
});

Deno.test("a watched list tells rows of the same name apart", async () => {
  const { rows } = await watch([
    [row("a", "x", "1"), row("a", "x", "2")],
    [row("a", "x", "1"), row("a", "x", "3")],
  ]);
  assert.deepEqual(rows, ["created a x 1", "created a x 2", "updated a x 3"]);
});

Deno.test("a node that fails keeps its rows in a watched list, and is named once", async () => {
  const down = new NodesError(
    new Map([["b", new OsctlError("it is down")]]),
    2,
  );
  const { rows, notes } = await watch([
    [row("a", "x", "up"), row("b", "x", "up")],
    [row("a", "x", "up"), down],
    [row("a", "x", "down"), down],
    [row("a", "x", "down"), row("b", "x", "up")],
  ]);
  assert.deepEqual(rows, [
    "created a x up",
    "created b x up",
    "updated a x down",
  ]);
  assert.deepEqual(notes, ["--- b: it is down ---"]);
});

Deno.test("watching ends at once when no node answers the first time", async () => {
  const down = new NodesError(new Map([["a", new OsctlError("down")]]), 1);
  await assert.rejects(watch([[down]]), NodesError);
});

Deno.test("--watch belongs to lists: an action is refused before anything is sent", async () => {
  const { err, status } = await run(
    "service kubelet restart --nodes a --watch",
  );
  assert.equal(
    err.split("\n")[0],
    'error: "service" cannot make changes with --watch',
  );
  assert.equal(status, 2);
});

Deno.test("--watch reads a list until it is interrupted", async () => {
  const stop = new AbortController();
  const { out, status } = await run("service --watch -o jsonl", {
    a: {
      serviceList: () => ({
        messages: [{ services: [{ id: "kubelet", state: "Running" }] }],
      }),
    },
  }, { signal: stop.signal, onWrite: () => stop.abort() });
  assert.equal(JSON.parse(out).event, "created");
  assert.equal(status, 1);
});
