import assert from "node:assert/strict";
import { main } from "../../../commands/_kit/main.ts";
import type { AnyCommand, IndexEntry } from "../../../commands/_kit/command.ts";
import { operate } from "../../../commands/_kit/operate.ts";
import { restArgument, text, toggle } from "../../../commands/_kit/inputs.ts";
import { lines, table } from "../../../terminal/view.ts";
import {
  CancelledError,
  NodesError,
  OsctlError,
  UsageError,
} from "../../../errors.ts";
import { fakeNodes } from "../../_fake.ts";

const echo: AnyCommand = {
  summary: "Echo words",
  inputs: {
    loud: toggle("say it loud", { short: "l" }),
    old: text("an old flag", { deprecated: "use --loud" }),
    words: restArgument("words"),
  },
  view: lines((row: { text: string }) => row.text),
  async *run({ input, globals, signal, note }) {
    if (input.words[0] === "fail") {
      throw new OsctlError("Cannot echo", { hint: "Whisper" });
    }
    if (input.words[0] === "wrong") throw new UsageError("Cannot echo that");
    if (input.words[0] === "bug") {
      throw new TypeError("undefined is not a word");
    }
    if (input.words[0] === "part") {
      yield { text: "a" };
      throw new NodesError(new Map([["b", new OsctlError("down")]]), 2);
    }
    if (input.words[0] === "pipe") throw new Deno.errors.BrokenPipe("gone");
    if (input.words[0] === "note") note("listen");
    yield { text: [...globals.nodes, ...input.words].join(" ") };
    if (input.words[0] === "wait" && !signal.aborted) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
  },
};

/** Changes nodes, and its file does not say so. */
const sneaky: AnyCommand = { ...echo, run: operate };

const own: AnyCommand = { ...echo, output: "own", view: table({}) };

const entries: readonly IndexEntry[] = [
  {
    name: "echo",
    summary: "Echo words",
    aliases: ["say"],
    section: "node",
    hidden: false,
    group: false,
    load: () => Promise.resolve({ command: echo }),
  },
  {
    name: "sneak",
    summary: "Change nodes",
    aliases: [],
    section: "configuration",
    hidden: true,
    group: false,
    load: () => Promise.resolve({ command: sneaky }),
  },
  {
    name: "etcd",
    summary: "Manage etcd",
    aliases: [],
    section: "cluster",
    hidden: false,
    group: true,
  },
  {
    name: "etcd members",
    summary: "List members",
    aliases: [],
    section: "cluster",
    hidden: false,
    group: false,
    load: () => Promise.resolve({ command: own }),
  },
];

async function osctl(line: string, signal = new AbortController().signal) {
  const out: string[] = [];
  const err: string[] = [];
  const sink = (into: string[], turns = 0) => ({
    terminal: false,
    columns: () => undefined,
    async write(bytes: Uint8Array) {
      // Real streams take time, during which the program continues.
      for (let i = 0; i < turns; i++) {
        await new Promise((resolve) => setTimeout(resolve));
      }
      into.push(new TextDecoder().decode(bytes));
    },
  });
  const status = await main(line.split(" ").filter((word) => word !== ""), {
    entries,
    environment: {
      stdout: sink(out),
      stderr: sink(err, 3),
      stdin: { terminal: false, readable: new Blob().stream() },
      env: () => undefined,
      now: () => new Date(0),
      os: "linux",
    },
    open: () => fakeNodes({}).nodes,
    readFile: () => Promise.resolve(""),
    complete: (_, words) => Promise.resolve(`complete ${words}\n`),
    signal,
  });
  return { out: out.join(""), err: err.join(""), status };
}

Deno.test("main lists the commands under their headings", async () => {
  const { out, status } = await osctl("--help");
  assert.match(
    out,
    /Inspect nodes:\n {2}echo {3}Echo words\n\nCreate local clusters:\n {2}etcd {3}Manage etcd\n/,
  );
  assert.equal(status, 0);
  assert.equal((await osctl("-h")).out, out);
  assert.equal((await osctl("help")).out, out);
});

Deno.test("main says what to do first without a command, and its version", async () => {
  const { out, status } = await osctl("");
  assert.match(out, /^Start here:\n {2}osctl config merge .\/talosconfig /m);
  assert.equal(status, 0);
  assert.deepEqual(await osctl("--version"), {
    out: "osctl v0.2.0-dev\n",
    err: "",
    status: 0,
  });
});

Deno.test("main shows the page of a command, whatever else is typed", async () => {
  const { out, status } = await osctl("echo --xyzzy --help");
  assert.match(
    out,
    /^Echo words\n\nUsage:\n {2}osctl echo \[<words>\.\.\.\] \[flags\]\n\nAliases:\n {2}say\n/,
  );
  assert.match(out, /-l, --loud {12,}say it loud\n/);
  assert.equal(status, 0);
  assert.equal((await osctl("help say")).out, out);
});

Deno.test("main shows the page of a group", async () => {
  const { out } = await osctl("etcd");
  assert.match(
    out,
    /Usage:\n {2}osctl etcd <command>\n\nCommands:\n {2}etcd members {3}List members\n/,
  );
});

Deno.test("main says what is wrong with a command line, and the usage", async () => {
  assert.deepEqual(await osctl("echo --laud"), {
    out: "",
    err: `error: Unknown flag --laud
hint: Did you mean --loud?
Usage: osctl echo [<words>...] [flags]
Run "osctl echo --help" for its flags
`,
    status: 2,
  });
  assert.deepEqual(await osctl("eco"), {
    out: "",
    err: `error: Unknown command "eco"
hint: Did you mean "osctl echo"?
Usage: osctl [flags] <command> [arguments] [flags]
`,
    status: 2,
  });
  assert.equal((await osctl("--xyzzy echo")).status, 2);
});

Deno.test("main takes a reader that went away as enough", async () => {
  assert.deepEqual(await osctl("echo pipe"), { out: "", err: "", status: 0 });
});

Deno.test("main warns of deprecated flags", async () => {
  assert.equal(
    (await osctl("echo --old x y")).err,
    "warning: Flag --old is deprecated: use --loud\n",
  );
});

Deno.test("main ends an interrupted command with 130 and shows what came", async () => {
  const stop = new AbortController();
  const running = osctl("echo wait", stop.signal);
  stop.abort(new CancelledError());
  assert.deepEqual(await running, { out: "wait\n", err: "", status: 130 });
});

Deno.test("main lets no command change nodes whose file exports no change", async () => {
  const { err, status } = await osctl("sneak -n a");
  assert.match(
    err,
    /This is a bug .*The file of the command exports no change/,
  );
  assert.equal(status, 1);
});

Deno.test("main: code loaded by every command imports no packages", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "commands/_kit/main.ts"],
  }).output();
  const { roots, modules } = JSON.parse(
    new TextDecoder().decode(stdout),
  ) as ModuleGraph;
  const found = new Map(modules.map((one) => [one.specifier, one]));
  const loaded = new Set(roots);
  // A set is walked over what is added meanwhile, too.
  for (const name of loaded) {
    for (const { isDynamic, code } of found.get(name)?.dependencies ?? []) {
      if (!isDynamic && code !== undefined) loaded.add(code.specifier);
    }
  }
  const files = [...loaded].filter((name) => name.startsWith("file:"));
  assert.ok(files.length > 20, `${files.length} files`);
  assert.deepEqual([...loaded].filter((name) => !files.includes(name)), []);
});

interface ModuleGraph {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly isDynamic?: true;
      readonly code?: { readonly specifier: string };
    }[];
  }[];
}
