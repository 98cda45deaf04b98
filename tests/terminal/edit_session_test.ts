import assert from "node:assert/strict";
import { editText } from "../../terminal/edit_session.ts";
import { CancelledError, ConfigError, OsctlError } from "../../errors.ts";
import { pause } from "../../lib/pause.ts";
import { needs, posix } from "../_needs.ts";

interface Edit {
  readonly end: unknown;
  readonly shown: readonly string[];
  readonly taken: readonly string[];
  readonly notes: readonly string[];
}

/** Edits `a: 1` by functions instead of a program. */
async function edit(
  steps: readonly ((text: string) => string)[],
  options: {
    readonly body?: string;
    readonly os?: string;
    readonly refuse?: (text: string) => OsctlError | undefined;
    readonly tookMs?: number;
    readonly later?: (text: string) => string;
  } = {},
): Promise<Edit> {
  const { body = "a: 1\n", os = "linux", refuse, tookMs = 5_000 } = options;
  const shown: string[] = [];
  const taken: string[] = [];
  const notes: string[] = [];
  let ms = 0;
  let opened = "";
  const untilSaved = async (question: string) => {
    notes.push(question);
    const text = await Deno.readTextFile(opened);
    await Deno.writeTextFile(opened, options.later?.(text) ?? text);
  };
  const end = await editText({
    title: "Title",
    body,
    correctable: (error) => error instanceof ConfigError,
    accept(text) {
      taken.push(text);
      const error = refuse?.(text);
      return error === undefined ? Promise.resolve() : Promise.reject(error);
    },
  }, {
    editor: {
      command: "ed",
      async edit(path) {
        opened = path;
        const text = await Deno.readTextFile(path);
        const step = steps[shown.length];
        assert.ok(step, "the editor was opened too often");
        shown.push(text);
        ms += tookMs;
        await Deno.writeTextFile(path, step(text));
      },
    },
    environment: { now: () => new Date(ms), os },
    note: (text) => void notes.push(text),
    signal: new AbortController().signal,
    ...(options.later && { untilSaved }),
  }).catch((error: unknown) => error);
  for (const note of notes) {
    const [, path] = /saved to "(.*)"/.exec(note) ?? [];
    if (path !== undefined) await Deno.remove(path);
  }
  return { end, shown, taken, notes };
}

const one = (text: string) => text.replace("1", "2");
const same = (text: string) => text;

Deno.test("editText hands on nothing that was not changed, and doubts editors that are back at once", async () => {
  assert.deepEqual(await edit([same]), {
    end: "unchanged",
    shown: ["# Title\na: 1\n"],
    taken: [],
    notes: [],
  });
  const { notes } = await edit([same], { tookMs: 10 });
  assert.match(notes[0] ?? "", /^The editor "ed" exited immediately/);
});

Deno.test("editText waits for the user where the editor continues in the background", async () => {
  const question =
    'The editor "ed" exited immediately. Press Enter when the file is saved: ';
  const options = { tookMs: 10, later: one };
  assert.deepEqual(await edit([same], options), {
    end: "accepted",
    shown: ["# Title\na: 1\n"],
    taken: ["a: 2\n"],
    notes: [question],
  });
  const unchanged = await edit([same], { ...options, later: same });
  assert.deepEqual([unchanged.end, unchanged.notes], ["unchanged", [question]]);
  // If the file changed before the editor returned, the editor is one that waits.
  assert.deepEqual((await edit([one], options)).notes, []);
  const slow = await edit([same], { later: one });
  assert.deepEqual([slow.end, slow.notes], ["unchanged", []]);
});

Deno.test("editText takes an empty file for a change of mind, also after a problem", async () => {
  assert.equal((await edit([() => ""])).end, "empty");
  const refuse = () => new ConfigError("wrong");
  const { end, notes } = await edit([one, () => ""], { refuse });
  assert.deepEqual([end, notes], ["empty", []]);
});

Deno.test("editText uses the line ends of the system, and hands on its own", async () => {
  const { shown, taken } = await edit([one], { os: "windows" });
  assert.deepEqual([shown, taken], [["# Title\r\na: 1\r\n"], ["a: 2\n"]]);
  const crlf = (text: string) => one(text).replaceAll("\n", "\r\n");
  assert.deepEqual((await edit([crlf])).taken, ["a: 2\n"]);
  assert.equal((await edit([same], { body: "a: 1\r\n" })).end, "unchanged");
});

Deno.test("editText strips what is left of its comments", async () => {
  const title = (text: string) => one(text).replace("# Title\n", "");
  assert.deepEqual((await edit([title])).taken, ["a: 2\n"]);
});

Deno.test("editText shows a problem and continues from what was typed", async () => {
  const { end, shown, taken } = await edit(
    [one, (text) => text.replace("a: 2", "a: 3")],
    {
      refuse: (text) =>
        text === "a: 2\n" ? new ConfigError("line one\nline two") : undefined,
    },
  );
  assert.equal(end, "accepted");
  assert.equal(
    shown[1],
    `# Title
#
# line one
# line two
#
# Line numbers start below this comment; an empty file cancels the edit
a: 2
`,
  );
  assert.deepEqual(taken, ["a: 2\n", "a: 3\n"]);
});

Deno.test("editText ends when the same problem is met twice, and keeps the text", async () => {
  const { end, taken, notes } = await edit(
    [one, (text) => text.replace("a: 2", "a: 3")],
    { refuse: () => new ConfigError("wrong") },
  );
  assert.ok(end instanceof ConfigError && end.message === "wrong");
  assert.equal(taken.length, 2);
  assert.match(notes[0] ?? "", /^Your edit was saved to "/);
});

Deno.test("editText ends at what cannot be corrected, and keeps the text", async () => {
  const { end, notes } = await edit([one], {
    refuse: () => new OsctlError("no way"),
  });
  assert.ok(end instanceof OsctlError && end.message === "no way");
  assert.equal(notes.length, 1);
});

Deno.test("editText leaves no file of an editor that fails, unless something was typed", async () => {
  for (const [typed, isKept] of [["", false], ["b: 2\n", true]] as const) {
    const notes: string[] = [];
    let path = "";
    const editing = editText({
      title: "Title",
      body: "a: 1\n",
      correctable: () => false,
      accept: () => Promise.resolve(),
    }, {
      editor: {
        command: "ed",
        async edit(file) {
          path = file;
          // As editors do, with the same secrets.
          await Deno.writeTextFile(`${file}~`, "a: 1\n");
          await Deno.writeTextFile(file, typed, { append: true });
          throw new OsctlError("the editor failed");
        },
      },
      environment: { now: () => new Date(0), os: "linux" },
      note: (text) => void notes.push(text),
      signal: new AbortController().signal,
    });
    await assert.rejects(editing, /the editor failed/);
    assert.equal(notes.length, isKept ? 1 : 0);
    for (const gone of [path, `${path}~`]) {
      await assert.rejects(Deno.stat(gone), Deno.errors.NotFound);
    }
    const [, kept] = /saved to "(.*)"/.exec(notes[0] ?? "") ?? [];
    assert.equal(kept !== undefined, isKept);
    if (kept !== undefined) await Deno.remove(kept);
  }
});

Deno.test({
  name: "editText leaves no file when the terminal is closed",
  ...needs(posix),
  async fn() {
    let path = "";
    const editing = editText({
      title: "Title",
      body: "a: 1\n",
      correctable: () => false,
      accept: () => Promise.reject(new Error("nothing is accepted")),
    }, {
      editor: {
        command: "vi",
        async edit(file, signal) {
          path = file;
          Deno.kill(Deno.pid, "SIGHUP");
          while (!signal.aborted) await pause(5);
        },
      },
      environment: { now: () => new Date(0), os: "linux" },
      note: (text) => assert.fail(text),
      signal: new AbortController().signal,
    });
    await assert.rejects(editing, CancelledError);
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  },
});
