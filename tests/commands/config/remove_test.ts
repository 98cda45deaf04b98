import assert from "node:assert/strict";
import { command } from "../../../commands/config/remove.ts";
import { CancelledError } from "../../../errors.ts";
import { namesIn, silence, testWith, toOutput } from "./_file.ts";

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
  "config remove asks before each and removes what is confirmed",
  async ({ osctl, text, path }) => {
    const ran = await osctl("config remove lab-*", { stdin: "n\nYes\n" });
    assert.deepEqual(toOutput(ran), {
      out: "",
      err: `remove context "lab-1"? (y/N): 
remove context "lab-2"? (y/N): 
`,
      status: 0,
    });
    assert.equal(await text(), four.replace(/ {4}lab-2[^]*(?= {4}lab\.3)/, ""));
    assert.equal(await Deno.readTextFile(`${path}.bak`), four);
  },
);

testWith(
  four,
  "config remove takes only * as a pattern",
  async ({ osctl, text }) => {
    await osctl("config remove --noconfirm lab.*");
    assert.equal(await text(), four.replace(/ {4}lab\.3[^]*/, ""));
  },
);

testWith(
  four,
  "config remove keeps the current context and says so",
  async ({ osctl, text }) => {
    const stays =
      'context "b" is the current one and is kept; switch to another with: osctl config context\n';
    const only = await osctl("config remove b");
    assert.deepEqual(toOutput(only), { out: "", err: stays, status: 0 });
    assert.equal(await text(), four);
    const all = await osctl("config remove * -y");
    assert.match(all.err, new RegExp(`^${stays}removing context "lab-1"\n`));
    assert.equal(
      await text(),
      "context: b\ncontexts:\n    # kept\n    b:\n        endpoints: []\n",
    );
  },
);

testWith(
  four,
  "config remove --dry-run says what it would remove",
  async ({ osctl, text, dir }) => {
    const { err, status } = await osctl("config remove lab-* --dry-run");
    assert.equal(
      err,
      'removing context "lab-1" (dry run)\nremoving context "lab-2" (dry run)\n',
    );
    assert.equal(status, 0);
    assert.equal(await text(), four);
    assert.deepEqual(await namesIn(dir), ["config"]);
  },
);

testWith(
  four,
  "config remove writes nothing when all is declined",
  async ({ osctl, text, dir }) => {
    const { status } = await osctl("config remove lab-1", { stdin: "\n" });
    assert.equal(status, 0);
    assert.equal(await text(), four);
    assert.deepEqual(await namesIn(dir), ["config"]);
  },
);

testWith(
  four,
  "config remove refuses to decide when no answer comes",
  async ({ osctl, text }) => {
    const { err, status } = await osctl("config remove lab-*", {
      stdin: "y\n",
    });
    assert.equal(
      err,
      `remove context "lab-1"? (y/N): 
remove context "lab-2"? (y/N): 
error: No answer to "remove context "lab-2"": standard input has ended
hint: Use --yes to remove it without confirmation
`,
    );
    assert.equal(status, 5);
    assert.equal(await text(), four);
  },
);

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
  "config remove refuses what matches nothing",
  async ({ osctl, path, text }) => {
    const { err, status } = await osctl("config remove lab-11");
    assert.equal(
      err,
      `error: Cannot remove context "lab-11": none in "${path}" has that name
hint: Did you mean "lab-1"?
`,
    );
    assert.equal(status, 2);
    const missing = await osctl("config remove");
    assert.match(missing.err, /^error: Argument <context> is missing/);
    assert.equal(missing.status, 2);
    const other = await osctl("config remove lab-1 -y --context lab-2");
    assert.match(other.err, /^error: Flag --context and the argument of/);
    assert.equal(other.status, 2);
    assert.equal(await text(), four);
  },
);

testWith(
  undefined,
  "config remove refuses when there are no contexts",
  async ({ osctl, path }) => {
    const { err, status } = await osctl("config remove a -y");
    assert.equal(
      err,
      `error: Cannot remove context "a": "${path}" has no contexts\n`,
    );
    assert.equal(status, 2);
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
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
