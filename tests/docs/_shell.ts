/** A real shell for the lines of pages; its `osctl` runs in this process. */

import { denoDir } from "../_osctl.ts";
import type { Ran } from "../_run.ts";

export type Typed = Omit<Ran, "bytes">;

export interface ShellOptions {
  /** Folder it starts in, which is the home as well. */
  readonly folder: string;
  /** Runs osctl in this process. */
  readonly osctl: (
    words: readonly string[],
    env: Readonly<Record<string, string>>,
  ) => Promise<Typed>;
  /** Waits for what a page sleeps for. */
  readonly sleep: () => Promise<void>;
}

/** Runs a line; variables and jobs of the lines before are known to it. */
export type Type = (line: string) => Promise<Typed>;

const variables = ["HOME", "OSCONFIG", "OS_HOME", "OSCTL_COMPAT"];

/**
 * Reads lines from 4 and sends requests to 3, parts that end with a zero byte. A job is a process of its own, as it is
 * killed. `man`, `kubectl` and `sudo` need not be installed.
 */
const script = `
exec 3>&1 4<&0 </dev/null
ask() {
  printf '%s\\0' "$#" "$@" >&3
  IFS= read -r -d '' reply <&4
}
osctl() {
  if [[ $line =~ \\&( |$) ]]; then exec "$RUNTIME" run -A --quiet "$MAIN" "$@"; fi
  ask osctl ${variables.map((name) => `"\${${name}-}"`).join(" ")} "$@"
  cat "$ANSWERS/out"
  cat "$ANSWERS/err" >&2
  return "$reply"
}
sleep() { ask sleep; }
sudo() { "$@"; }
man() { cat; }
kubectl() { :; }
while IFS= read -r -d '' line <&4; do
  eval "$line" >"$ANSWERS/line.out" 2>"$ANSWERS/line.err"
  printf '%s\\0' 2 done "$?" >&3
done
`;

/**
 * Starts a shell and ends it after the test.
 *
 * @param options Its folder, and what runs in this process.
 * @param test What to type.
 */
export async function withShell(
  { folder, osctl, sleep }: ShellOptions,
  test: (type: Type) => Promise<void>,
): Promise<void> {
  const answers = await Deno.makeTempDir();
  const here = Deno.cwd();
  Deno.chdir(folder);
  const child = new Deno.Command("bash", {
    args: ["--noprofile", "--norc", "-c", script],
    cwd: folder,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: folder,
      DENO_DIR: await denoDir(),
      RUNTIME: Deno.execPath(),
      MAIN: new URL("../../mod.ts", import.meta.url).pathname,
      ANSWERS: answers,
    },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const send = (text: string) =>
    writer.write(new TextEncoder().encode(`${text}\0`));
  const requests = readRequests(child.stdout);
  try {
    await test(async (line) => {
      await send(line);
      while (true) {
        const { value } = await requests.next();
        if (value === undefined) throw new Error(`No shell after: ${line}`);
        const [verb, ...rest] = value;
        if (verb === "done") {
          const [out, err] = await Promise.all(
            ["out", "err"].map((name) =>
              Deno.readTextFile(`${answers}/line.${name}`)
            ),
          );
          return { out: out ?? "", err: err ?? "", status: Number(rest[0]) };
        }
        if (verb === "sleep") {
          await sleep();
          await send("0");
          continue;
        }
        const env = variables.flatMap((name, at) =>
          rest[at] === "" ? [] : [[name, rest[at] ?? ""]]
        );
        const { out, err, status } = await osctl(
          rest.slice(variables.length),
          Object.fromEntries(env),
        );
        await Deno.writeTextFile(`${answers}/out`, out);
        await Deno.writeTextFile(`${answers}/err`, err);
        await send(`${status}`);
      }
    });
  } finally {
    await writer.close();
    await requests.return(undefined);
    await child.status;
    Deno.chdir(here);
    await Deno.remove(answers, { recursive: true });
  }
}

/** Requests of the shell: the number of their parts, and the parts. */
async function* readRequests(
  stdout: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<readonly string[]> {
  let text = "";
  for await (const part of stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    while (true) {
      const [count = "", ...rest] = text.split("\0");
      if (rest.length <= Number(count)) break;
      const request = rest.slice(0, Number(count));
      yield request;
      text = rest.slice(Number(count)).join("\0");
    }
  }
}
