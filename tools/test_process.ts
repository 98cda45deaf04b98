/** A test process: start, and kill on timeout. */

import { statfs } from "node:fs/promises";

const flags = ["-A", "--no-check", "--sanitize-ops", "--sanitize-resources"];

/** Default timeout of a test; a file overrides it by `export const longestSeconds = 120;`. */
const usualSeconds = 60;

/** Timeout for the files of one process, in milliseconds. */
const longestMs = 30 * 60_000;

/** Polling interval of a process, in milliseconds. */
const lookMs = 250;

/** Test files of one process. */
export interface TestGroup {
  /** Root of the project, as a `file:` URL with a trailing slash. */
  readonly root: URL;
  readonly files: readonly string[];
  /** Folder for the raw coverage data; absent without coverage. */
  readonly coverage?: string;
}

/** Result of a process. */
export interface Ended {
  readonly isGood: boolean;
  /** The runner's report; absent if it did not finish. */
  readonly junit?: string | undefined;
  readonly metered?: string | undefined;
  readonly output: string;
  /** Exceeded timeout of a killed process, `60 s`; absent otherwise. */
  readonly passed?: string | undefined;
}

/** Runs the files of a group. `folder`: for output of the process. */
export async function runTests(
  { root, files, coverage }: TestGroup,
  folder: string,
): Promise<Ended> {
  const entry = `${folder}/entry.ts`;
  const junit = `${folder}/junit.xml`;
  const metered = `${folder}/metered.json`;
  const progress = `${folder}/progress`;
  const urls = [...await loadOnce(root), ...files]
    .map((file) => new URL(file, root).href);
  await Deno.writeTextFile(
    entry,
    `import { meterTests } from ${
      JSON.stringify(new URL("test_meter.ts", import.meta.url).href)
    };
meterTests(${JSON.stringify(metered)}, ${JSON.stringify(progress)});
for (const file of ${JSON.stringify(urls)}) await import(file);
`,
  );
  const args = [
    "test",
    ...flags,
    `--config=${new URL("deno.json", root).pathname}`,
    `--junit-path=${junit}`,
    ...coverage === undefined
      ? []
      : [`--coverage=${coverage}`, "--coverage-raw-data-only"],
    entry,
  ];
  const seconds = await longestSeconds(root, files);
  const ended = await deno(root, args, { progress, seconds });
  return {
    ...ended,
    junit: await readText(junit),
    metered: await readText(metered),
  };
}

/** The longest timeout of the files. */
async function longestSeconds(
  root: URL,
  files: readonly string[],
): Promise<number> {
  const texts = await Promise.all(
    files.map((file) => readText(new URL(file, root).pathname)),
  );
  const said = /^export const longestSeconds = ([\d.]+);$/m;
  const own = texts.map((text) =>
    Number(said.exec(text ?? "")?.[1] ?? usualSeconds)
  );
  return Math.max(...own);
}

/** Reruns leaking files with traces of the leaks. */
export async function trace(
  root: URL,
  files: readonly string[],
): Promise<string> {
  if (files.length === 0) return "";
  const preloads = (await loadOnce(root)).map((file) => `--preload=${file}`);
  const args = ["test", ...flags, "--trace-leaks", ...preloads, ...files];
  return (await deno(root, args)).output;
}

/** Modules preloaded before all tests, from the root; may be empty. */
async function loadOnce(root: URL): Promise<readonly string[]> {
  const file = "tests/_preload.ts";
  return await readText(new URL(file, root).pathname) === undefined
    ? []
    : [file];
}

/** Failures in the runner's output; empty if there are none. */
export function failuresIn(output: string): string {
  const from = output.indexOf("\n ERRORS \n");
  const to = output.indexOf("\n FAILURES \n", from);
  return from < 0 ? "" : output.slice(from + "\n ERRORS \n".length, to);
}

/** Environment variable that marks all descendants of a test process. */
const mark = "OSCTL_TEST_PROCESS";

/** Runs the runtime. `progress`: a file that changes with each test, and its maximum age. */
async function deno(
  root: URL,
  args: readonly string[],
  limit?: { readonly progress: string; readonly seconds: number },
): Promise<Omit<Ended, "junit" | "metered">> {
  const id = crypto.randomUUID();
  // Tests may run tests.
  const marks = `${Deno.env.get(mark) ?? ""} ${id}`;
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: root,
    env: { NO_COLOR: "1", [mark]: marks, ...await temporary() },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const began = performance.now();
  let passed: string | undefined;
  let last: { readonly text: string | undefined; readonly at: number } = {
    text: undefined,
    at: began,
  };
  const look = setInterval(async () => {
    const now = performance.now();
    if (limit !== undefined) {
      const text = await readText(limit.progress);
      if (text !== last.text) last = { text, at: now };
      else if (now - last.at > limit.seconds * 1_000) {
        passed ??= `${limit.seconds} s`;
      }
    }
    if (now - began > longestMs) passed ??= `${longestMs / 60_000} min`;
    if (passed !== undefined) await endTree(child.pid, id);
  }, lookMs);
  const { success, stdout, stderr } = await child.output();
  clearInterval(look);
  const text = new TextDecoder();
  const output = `${text.decode(stdout)}\n${text.decode(stderr)}`;
  return { isGood: success && passed === undefined, output, passed };
}

/** Kills a process and its descendants, including orphans. */
async function endTree(pid: number, id: string): Promise<void> {
  const all = await processes();
  const found = new Set([pid]);
  // A child may be listed before its parent.
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const one of all) if (found.has(one.parent)) found.add(one.pid);
  }
  if (Deno.build.os === "linux") {
    for (const one of all) {
      const environment = await readText(`/proc/${one.pid}/environ`) ?? "";
      if (environment.includes(id)) found.add(one.pid);
    }
  }
  for (const one of found) {
    try {
      Deno.kill(one, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
}

async function processes(): Promise<readonly Process[]> {
  if (Deno.build.os === "linux") {
    const found: Process[] = [];
    for await (const { name } of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      const stat = await readText(`/proc/${name}/stat`) ?? "";
      // proc(5): behind the name in parentheses come the state and the parent.
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      found.push({ pid: Number(name), parent: Number(parent) });
    }
    return found;
  }
  if (Deno.build.os === "windows") return [];
  const { stdout } = await new Deno.Command("ps", {
    args: ["-A", "-o", "pid=,ppid="],
  }).output();
  return new TextDecoder().decode(stdout).trim().split("\n").map((line) => {
    const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
    return { pid, parent };
  });
}

/**
 * Variables that place temporary files in memory if it has 4 GiB: disk writes are a tenth of the CPU time. Containers
 * often have 64 MB there, or mount it noexec.
 */
async function temporary(): Promise<Readonly<Record<string, string>>> {
  if (Deno.env.has("TMPDIR")) return {};
  const mounts = await readText("/proc/mounts") ?? "";
  const isUsable = /^\S+ \/dev\/shm tmpfs (?!\S*\bnoexec\b)/m.test(mounts);
  if (!isUsable) return {};
  const { bavail, bsize } = await statfs("/dev/shm");
  return bavail * bsize < 4 * 2 ** 30 ? {} : { TMPDIR: "/dev/shm" };
}

function readText(path: string): Promise<string | undefined> {
  return Deno.readTextFile(path).catch(() => undefined);
}
