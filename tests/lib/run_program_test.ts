import assert from "node:assert/strict";
import { type ProgramCall, programRunner } from "../../lib/run_program.ts";

const environment: Readonly<Record<string, string>> = {
  PATH: Deno.env.get("PATH") ?? "",
  OSCTL_VAULT_PASSPHRASE: "correct-horse-battery",
};
const run = programRunner((name) => environment[name]);
const never = new AbortController().signal;

function call(
  program: string,
  args: readonly string[] = [],
  more: Partial<ProgramCall> = {},
): ProgramCall {
  return { program, args, input: null, env: {}, ...more };
}

/** `sh` is a program like others here: what is tested is what it is given. */
function script(text: string, more: Partial<ProgramCall> = {}): ProgramCall {
  return call("sh", ["-c", text], more);
}

Deno.test("a program gets its input, and says how it ended", async () => {
  const input = '{"a":1}\n';
  const cat = script("cat; echo wrong >&2; exit 3", { input });
  assert.deepEqual(await run(cat, never), {
    status: 3,
    stdout: input,
    stderr: "wrong\n",
  });
  // A program that reads nothing is not in the way.
  const idle = script("exit 0", { input: "x".repeat(1_000_000) });
  assert.equal((await run(idle, never)).status, 0);
});

Deno.test("a program gets nothing of the environment that may be secret", async () => {
  const { stdout } = await run(call("env", [], { env: { OWN: "1" } }), never);
  const names = stdout.trimEnd().split("\n")
    .map((line) => line.slice(0, line.indexOf("="))).toSorted();
  assert.deepEqual(names.filter((name) => name !== "_" && name !== "PWD"), [
    "OWN",
    "PATH",
  ]);
});

Deno.test("a program that is not there, or may not be run, is a problem", async () => {
  await assert.rejects(
    run(call("no-such-program-here"), never),
    /Cannot run "no-such-program-here": program not found/,
  );
  const text = await Deno.makeTempFile();
  await assert.rejects(run(call(text), never), /permission denied/);
  await Deno.remove(text);
});

Deno.test("a program that writes too much is a problem, and the end of its errors is kept", async () => {
  const loud = script("head -c 2000000 /dev/zero");
  await assert.rejects(run(loud, never), /wrote more than 1 MiB/);
  const wrong = script("head -c 9000 /dev/zero | tr '\\0' x >&2; echo end >&2");
  const { stderr } = await run(wrong, never);
  assert.equal(stderr.length, 4096);
  assert.match(stderr, /xend\n$/);
});

Deno.test("a program that is ended takes with it what it has started", async () => {
  const file = await Deno.makeTempFile();
  const ended = new AbortController();
  const text = `sleep 60 & echo $! > ${file}; echo ready > ${file}.ready; wait`;
  const running = run(script(text), ended.signal);
  const isThere = () =>
    Deno.stat(`${file}.ready`).then(() => true, () => false);
  while (!await isThere()) await new Promise((done) => setTimeout(done, 5));
  const late = new DOMException("", "TimeoutError");
  ended.abort(late);
  await assert.rejects(running, (error) => error === late);
  const pid = Number(await Deno.readTextFile(file));
  const state = await Deno.readTextFile(`/proc/${pid}/stat`)
    .catch(() => "gone");
  assert.match(state, /^gone$|\) Z /);
  await Deno.remove(file);
  await Deno.remove(`${file}.ready`);
});
