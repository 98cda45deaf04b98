import assert from "node:assert/strict";
import { command } from "../../../commands/config/remove.ts";
import { CancelledError } from "../../../errors.ts";
import { silence, testWith } from "./_file.ts";

const four = `context: b
contexts:
    # kept
    b:
        endpoints: []
    lab-1:
        endpoints: []
    lab-2:
        endpoints: []
    lab.3:
        endpoints: []
`;
const withoutLabs = four.replace(/ {4}lab-1[^]*(?= {4}lab\.3)/, "");

testWith(
  four,
  "config remove ends when the user interrupts the question",
  async ({ osctl, text }) => {
    const signal = AbortSignal.abort(new CancelledError());
    const { status } = await osctl("config remove lab-1", { signal });
    assert.equal(status, 130);
    assert.equal(await text(), four);
  },
);

testWith(
  four,
  "config remove keeps a context that becomes current while the user is asked",
  async ({ osctl, text, path }) => {
    const readable = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await osctl("config context lab-1");
        controller.enqueue(new TextEncoder().encode("y\ny\n"));
        controller.close();
      },
    }, { highWaterMark: 0 });
    const sink = {
      terminal: false,
      columns: () => undefined,
      write: () => Promise.resolve(),
    };
    const rows = command.run(
      {
        input: { context: "lab-*", dryRun: false, yes: false },
        globals: { context: undefined, osconfig: path },
        environment: {
          stdin: { terminal: false, readable },
          stderr: sink,
          env: () => undefined,
        },
        signal: new AbortController().signal,
        note: () => {},
        // Nothing else of a context is checked.
      } as unknown as Parameters<typeof command.run>[0],
    );
    assert.deepEqual(await Array.fromAsync(rows), []);
    assert.equal(
      await text(),
      four.replace("context: b", "context: lab-1")
        .replace("    lab-2:\n        endpoints: []\n", ""),
    );
  },
);

testWith(
  four,
  "config remove from two at once removes both",
  async ({ osctl, text }) => {
    const all = await Promise.all([
      osctl("config remove lab-1", { stdin: "y\n" }),
      osctl("config remove lab-2", { stdin: "y\n" }),
    ]);
    assert.deepEqual(all.map(({ status }) => status), [
      silence.status,
      silence.status,
    ]);
    assert.equal(await text(), withoutLabs);
  },
);
