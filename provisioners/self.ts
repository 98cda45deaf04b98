/** How to start this program a second time, for work that outlives the first. */

interface ProgramLocation {
  /** True in an executable made by `deno compile`. */
  readonly standalone: boolean;
  /** Path of the runtime, or of the compiled executable. */
  readonly execPath: string;
  /** URL this file was loaded from; a chunk when it was bundled. */
  readonly source: string;
}

/**
 * Little room for new objects, in MiB of each half: with the 16 that the engine would grow to, or more, streams and long
 * runs take up to twice the memory and no less time. Old objects are looked through whenever they have grown by this
 * share, in percent: the engine itself would let long runs over many nodes grow to several times of what they need.
 */
export const engineFlag =
  "--v8-flags=--min-semi-space-size=2,--max-semi-space-size=2,--heap-growing-percent=30";

/** Runbooks in TypeScript are called in workers without rights, and no permission is asked for. */
export const sandboxFlags: readonly string[] = [
  "--unstable-worker-options",
  "--no-prompt",
];

/**
 * Arguments before the program's file with which the portable form starts its runtime. Its code cache holds what is
 * compiled before the first line runs, so everything is; functions compiled later would be in every start.
 */
export const runtimeFlags: readonly string[] = [
  "run",
  `${engineFlag},--no-lazy`,
  "--allow-all",
  "--quiet",
  "--no-config",
  "--no-lock",
  "--no-remote",
  "--no-npm",
  ...sandboxFlags,
  "--node-modules-dir=none",
];

/**
 * First words of command lines that only compute, and for a moment. Everything else runs longer, or waits for nodes
 * meanwhile.
 */
export const quickCommands: readonly string[] = [
  "--help",
  "__complete",
  "completion",
  "help",
  "machineconfig patch",
  "validate",
  "version --client",
];

/**
 * The flags for {@linkcode quickCommands}: no threads of the engine beside the program's, which take longer to hand work
 * to than the work takes, and room for all new objects, so that none are looked through. Code that was cached with other
 * flags is not used, so this takes a cache of its own.
 */
export const quickFlags: readonly string[] = runtimeFlags.map((flag) =>
  flag.startsWith(engineFlag)
    ? `${flag},--single-threaded,--min-semi-space-size=16,--max-semi-space-size=16`
    : flag
);

/**
 * Variables that change what the runtime does. The launcher of the portable form keeps the user's
 * values from the runtime, and the first line of the bundle puts them back.
 */
export const shieldedVariables: readonly string[] = [
  "DENO_DIR",
  "DENO_NO_UPDATE_CHECK",
  "DENO_V8_FLAGS",
  "NODE_OPTIONS",
];

/**
 * Variables with which the runtime sends, writes or trusts what osctl promises not to: they are removed for good, from
 * the programs that osctl starts, too. Of all that begin with `OTEL_` only the first has an effect by itself.
 */
export const removedVariables: readonly string[] = [
  // Sends every request and what is written on the console to a collector.
  "OTEL_DENO",
  // Writes the keys of TLS connections into a file.
  "SSLKEYLOGFILE",
  // Write files, or show what is read and called.
  ...["DENO_AUDIT_PERMISSIONS", "DENO_COVERAGE_DIR", "DENO_LOG"],
  ...["DENO_NODE_TRACE_EVENT_CATEGORIES", "DENO_TRACE_PERMISSIONS"],
  ...["DENO_WEBGPU_TRACE", "NODE_DEBUG", "NODE_DEBUG_NATIVE"],
  ...["NODE_V8_COVERAGE", "RUST_LOG"],
  // Trust other servers than osctl says, or none.
  ...["DENO_CERT", "DENO_NODE_USE_OPENSSL_CA", "DENO_TLS_CA_STORE"],
  ...["NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED"],
  "NODE_USE_SYSTEM_CA",
  // Listen elsewhere, go another way, load other code, or send credentials along.
  ...["DENO_AUTH_TOKENS", "DENO_CACHE_LSC_ENDPOINT", "DENO_CONDITIONS"],
  ...["DENO_INTERNAL_CHILD_ENTRYPOINT", "DENO_SERVE_ADDRESS"],
  ...["NODE_CHANNEL_FD", "NODE_UNIQUE_ID", "NODE_USE_ENV_PROXY"],
];

/**
 * Those of {@linkcode removedVariables} that take effect before the first line of a program: an executable made by
 * `deno compile` cannot remove them in time. Telemetry is not among them: there the time of the build decides.
 */
export const refusedVariables: readonly string[] = [
  "DENO_AUDIT_PERMISSIONS",
  "DENO_COVERAGE_DIR",
  "NODE_V8_COVERAGE",
];

/**
 * Makes the command that runs osctl again: the same build from the same place.
 *
 * @param running Default: the present process.
 */
export function selfCommand(
  args: readonly string[],
  running: ProgramLocation = present(),
): {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
} {
  const { standalone, execPath, source } = running;
  if (standalone) return { command: execPath, args: [...args], env: {} };
  if (source.endsWith("/provisioners/self.ts")) {
    const root = new URL("../", source);
    const config = decodeURIComponent(new URL("deno.json", root).pathname);
    const flags = ["run", "--allow-all", "--quiet", "--config", config];
    return {
      command: execPath,
      args: [...flags, new URL("mod.ts", root).href, ...args],
      env: { DENO_NO_UPDATE_CHECK: "1" },
    };
  }
  // The launcher names the bundle through a handle, which other processes do not have.
  const folder = execPath.slice(0, execPath.lastIndexOf("/"));
  return {
    command: execPath,
    args: [...runtimeFlags, `${folder}/mod.js`, ...args],
    env: {
      DENO_DIR: `${folder}/cache`,
      DENO_NO_UPDATE_CHECK: "1",
      NODE_OPTIONS: "",
    },
  };
}

function present(): ProgramLocation {
  return {
    standalone: Deno.build.standalone,
    execPath: Deno.execPath(),
    source: import.meta.url,
  };
}
