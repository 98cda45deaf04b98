import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import { findCommand } from "../../commands/_kit/find.ts";
import { type DemoStep, performCommand, show, tour } from "../../tools/demo.ts";
import { withFolder } from "../_folder.ts";
import { linux, needs } from "../_needs.ts";

const first: DemoStep = {
  why: "Start nodes.",
  line: "cluster create embedded --name lab",
};
const second: DemoStep = {
  why: "Did every node reboot once?",
  boots: "v1.13.9",
};
const third: DemoStep = { why: "Remove them.", line: "cluster destroy" };

/** Shows three steps of which some are not as they should be; gives what was wrong and what was shown. */
async function readScreen(
  wrongAt?: DemoStep,
  interruptAt?: DemoStep,
) {
  let text = "";
  const stop = new AbortController();
  const wrong = await show([first, second, third], {
    perform(step) {
      if (step === interruptAt) stop.abort();
      text += "…\n";
      return Promise.resolve(step === wrongAt ? ["it is wrong"] : []);
    },
    print(part) {
      text += part;
      return Promise.resolve();
    },
    signal: stop.signal,
  });
  return { wrong, text };
}

Deno.test("show says why each command is run, then runs it", async () => {
  assert.deepEqual(await readScreen(), {
    wrong: [],
    text: `
# Start nodes.
$ osctl cluster create embedded --name lab
…

# Did every node reboot once?
…

# Remove them.
$ osctl cluster destroy
…
`,
  });
});

Deno.test("show stops at what is not as it should be", async () => {
  const { wrong, text } = await readScreen(second);
  assert.deepEqual(wrong, ["it is wrong"]);
  assert.doesNotMatch(text, /Remove them/);
});

Deno.test("the tour consists of commands that exist", () => {
  for (const step of tour) {
    // Groups have nothing to load.
    if (!("line" in step)) continue;
    const { entry } = findCommand(entries, step.line.split(" "));
    assert.ok(entry.load, step.line);
  }
});

/** Runs a command as the demonstration does. */
async function runPerform(line: string, killAt?: RegExp) {
  let text = "";
  let wrong: readonly string[] = [];
  await withFolder({}, async (folder) => {
    wrong = await performCommand({ why: "", line, ...killAt && { killAt } }, {
      folder,
      print(part) {
        text += part;
        return Promise.resolve();
      },
      signal: new AbortController().signal,
    });
  });
  return { wrong, text };
}

Deno.test("demo: output fits 80 columns, and errors are shown if a command fails", async () => {
  const { wrong, text } = await runPerform("cluster --help");
  assert.deepEqual(wrong, []);
  assert.match(text, /^Create, show and destroy clusters/);
  assert.deepEqual(text.split("\n").filter((line) => line.length > 80), []);
  const failed = await runPerform("cluster destroy --name lab");
  assert.match(
    failed.wrong.join("\n"),
    /^"osctl cluster destroy --name lab" ended with 2\nerror: Cannot find cluster "lab"/,
  );
});

/** Processes that know the folder from their environment or command line. */
async function processesIn(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    for (const file of ["environ", "cmdline"]) {
      const text = await Deno.readTextFile(`/proc/${name}/${file}`)
        .catch(() => "");
      if (text.includes(folder)) found.push(`${name}: ${text}`);
    }
  }
  return found;
}

for (
  const [signal, code, when] of [
    ["SIGINT", 130, "is ready"],
    ["SIGTERM", 143, "cluster create"],
  ] as const
) {
  Deno.test({
    name: `a demonstration that hears ${signal} removes everything`,
    ...needs(linux),
    async fn() {
      await withFolder({}, async (folder) => {
        const demo = new URL("../../tools/demo.ts", import.meta.url).pathname;
        const child = new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--quiet", demo],
          env: { TMPDIR: folder },
          stdout: "piped",
          stderr: "null",
        }).spawn();
        let text = "";
        for await (
          const part of child.stdout.pipeThrough(new TextDecoderStream())
        ) {
          const before = text.includes(when);
          text += part;
          if (!before && text.includes(when)) child.kill(signal);
        }
        assert.equal((await child.status).code, code, text);
        assert.doesNotMatch(text, /Upgrade all nodes/);
        assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
        assert.deepEqual(await processesIn(folder), []);
      });
    },
  });
}
