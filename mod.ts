/** Entry point: the only file that reads the arguments and exits the process. */

import { entries } from "./commands/_index.ts";
import type {
  ClaimedSignal,
  ClaimSignals,
  SignalName,
} from "./commands/_kit/command.ts";
import { isOutputClosed } from "./terminal/closed_output.ts";
import { realEnvironment } from "./terminal/environment.ts";
import { CancelledError, exitStatus } from "./errors.ts";
import { keepInterruptHandler, onInterrupt } from "./interrupts.ts";

const stop = new AbortController();

let claimed: ClaimedSignal | undefined;

const isWindows = Deno.build.os === "windows";

/** Starts handling interrupts, for commands with work to finish. */
function listen(): void {
  onInterrupt(isWindows ? ["SIGINT"] : ["SIGINT", "SIGTERM"], interrupt);
}

function interrupt(name: SignalName): void {
  if (claimed !== undefined) {
    const status = claimed(name);
    if (status !== undefined) Deno.exit(status);
    return;
  }
  const reason = new CancelledError(name === "SIGINT" ? name : "SIGTERM");
  // A second signal exits at once.
  if (stop.signal.aborted) Deno.exit(reason.status);
  stop.abort(reason);
}

let warm = false;

/**
 * Initializes the random generator of TLS on another thread while modules load; it takes 25 ms once per process.
 */
function warmUp(): void {
  if (warm) return;
  warm = true;
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  crypto.subtle.generateKey(algorithm, false, ["sign"]).catch(() => {});
}

/** True if the first words are the full name of a command that calls nodes; other spellings are left to `main`. */
function namesCall(words: readonly string[]): boolean {
  const names = [words[0], words.slice(0, 2).join(" ")];
  return entries.some(({ name, aliases = [], section = "node", group }) =>
    section === "node" && !group &&
    [name, ...aliases].some((known) => names.includes(known))
  ) && !words.some((word) => offline.includes(word));
}

/** Flags that make a command run without nodes. */
const offline = ["--help", "-h", "--client"];

/** Exits if standard output is closed. */
function refuseClosedOutput(): void {
  if (!isOutputClosed()) return;
  // Same text as in the launcher of the portable build.
  const text = `error: Standard output is closed; nothing was done
hint: To discard the output: >/dev/null
`;
  Deno.stderr.writeSync(new TextEncoder().encode(text));
  Deno.exit(exitStatus.failed);
}

if (import.meta.main) {
  refuseClosedOutput();
  if (namesCall(Deno.args)) warmUp();
  // Everything below loads after the generator has started.
  const { lazyNodes, main } = await import("./commands/_kit/main.ts");
  const claimSignals: ClaimSignals = (take) => {
    listen();
    claimed = take;
    keepInterruptHandler();
    // Without a handler a closed terminal ends the process at once, as with other programs.
    if (!isWindows) onInterrupt(["SIGHUP"], interrupt);
  };
  const status = await main(Deno.args, {
    entries,
    environment: realEnvironment(),
    open: (request) =>
      lazyNodes(async () => {
        warmUp();
        const { openSession } = await import("./commands/_kit/session.ts");
        return await openSession(request);
      }),
    prepare: warmUp,
    readFile: (path) => Deno.readTextFile(path),
    complete: async (program, words) =>
      await (await import("./commands/_kit/completion.ts")).complete(
        program,
        words,
      ),
    signal: stop.signal,
    listen,
    claimSignals,
  });
  Deno.exit(status);
}
