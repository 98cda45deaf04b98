/** Commands that the dashboard runs for the user: each in a process of its own, on the same terminal. */

import type { NamedContext } from "../config/osconfig/select_context.ts";
import { clientIdentity } from "../config/osconfig/client_identity.ts";
import { CancelledError, exitStatus } from "../errors.ts";
import { readRoles } from "../pki/roles.ts";
import { selfCommand } from "../provisioners/own_command.ts";
import { shellWord } from "../terminal/shell_word.ts";
import { builtinNames } from "../workflows/runbooks/builtin/builtin_runbooks.ts";
import type { DashboardCommand } from "../workflows/dashboard/actions.ts";
import { formatDuration } from "../lib/duration.ts";
import { killChild } from "../lib/kill_child.ts";
import type { Context } from "./_kit/mod.ts";
import { currentOsconfig } from "./_session/osconfig.ts";

type CommandContext = Pick<
  Context<unknown>,
  "globals" | "environment" | "commands" | "claimSignals"
>;

/** Sections of commands that act on the selected nodes. */
const nodeSections = ["node", "change"];

/** Commands whose argument is a runbook. */
const runbookCommands = ["run", "plan", "rehearse", "show"]
  .map((name) => `runbook ${name}`);

/** Commands that can be typed in the dashboard. */
export function listCommands(
  { commands }: Pick<CommandContext, "commands">,
): readonly DashboardCommand[] {
  const runbooks = builtinNames.map((name) => `builtin:${name}`);
  return commands.filter(({ hidden, group }) => !hidden && !group)
    .map(({ name, aliases = [], section = "node" }) => ({
      name,
      aliases,
      takesNodes: nodeSections.includes(section),
      values: runbookCommands.includes(name) ? runbooks : undefined,
    }));
}

/** Roles with which a client may only read. */
const readingRoles = ["os:reader", "os:etcd:backup"];

/** Reason why a client certificate allows no changes; `undefined` if it may, or if there is none. */
export function findReadOnlyRole(context: NamedContext): string | undefined {
  const { pair } = clientIdentity(context);
  if (pair === undefined) return undefined;
  const known = readRoles(pair.crt);
  return known.every((role) => readingRoles.includes(role))
    ? `the client certificate has ${
      known.length === 0 ? "no role" : `the role ${known.join(", ")}`
    }`
    : undefined;
}

/** Global flags of the dashboard for its commands, with the name of the context. */
async function globalWords(
  { globals, environment }: CommandContext,
): Promise<readonly string[]> {
  const { config } = await currentOsconfig({ globals, environment });
  const words = Object.entries({
    context: globals.context ?? config.current,
    osconfig: globals.osconfig,
    cluster: globals.cluster,
    endpoints: globals.endpoints.join(","),
    "osv1-keys-dir": globals.osv1KeysDir,
    "node-timeout": formatDuration(globals.nodeTimeout),
    color: globals.color,
  }).flatMap(([name, value]) => value ? [`--${name}=${value}`] : []);
  return globals.verbose ? [...words, "--verbose"] : words;
}

interface CommandRunner {
  /** Runs a command line, given without `osctl`. Returns its exit status, also as a message. */
  readonly run: (
    words: readonly string[],
  ) => Promise<{ readonly status: number; readonly message: string }>;
  /** Must be called when the dashboard is on the screen again. */
  readonly back: () => void;
  /** Aborts when the dashboard must end. */
  readonly signal: AbortSignal;
}

/** Runs commands; until the dashboard is back, an interrupt is for them. */
export async function commandRunner(
  context: CommandContext,
): Promise<CommandRunner> {
  const { environment } = context;
  // Once: another context may become the current one later.
  const flags = await globalWords(context);
  const stop = new AbortController();
  let child: Deno.ChildProcess | undefined;
  let isOutside = false;
  context.claimSignals?.((name) => {
    // The terminal has sent it to the command, which may have ended before this is called.
    if (isOutside && name === "SIGINT") return;
    const reason = new CancelledError(name === "SIGINT" ? name : "SIGTERM");
    if (stop.signal.aborted) return reason.status;
    if (child !== undefined) killChild(child, "SIGTERM");
    stop.abort(reason);
  });
  return {
    signal: stop.signal,
    back: () => isOutside = false,
    async run(words) {
      isOutside = true;
      const line = `osctl ${words.map(shellWord).join(" ")}`;
      await environment.stderr.write(
        new TextEncoder().encode(`\n$ ${line}\n`),
      );
      const { command, args, env } = selfCommand([...flags, ...words]);
      child = new Deno.Command(command, {
        args,
        env,
        stdin: "inherit",
        stdout: "inherit",
        stderr: "inherit",
      }).spawn();
      const { code } = await child.status;
      child = undefined;
      return { status: code, message: `${line}: ${formatStatus(code)}` };
    },
  };
}

/** Formats an exit status: `refused (status 5)`. */
function formatStatus(code: number): string {
  if (code === exitStatus.ok) return "done";
  const [name] = Object.entries(exitStatus).find(([, one]) => one === code) ??
    [];
  const result = code === exitStatus.usage ? "invalid input" : name;
  return result === undefined ? `status ${code}` : `${result} (status ${code})`;
}
