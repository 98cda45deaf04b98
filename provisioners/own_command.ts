/** Command to start osctl again, for detached work. */

interface ProgramLocation {
  /** True in an executable built with `deno compile`. */
  readonly standalone: boolean;
  /** Path of the runtime, or of the compiled executable. */
  readonly execPath: string;
  /** URL of this file; a chunk if bundled. */
  readonly source: string;
}

/**
 * V8 heap flags. Small semi-spaces, in MiB: with V8's default maximum of 16, streams and long runs need up to
 * twice the memory and are not faster. The old generation is collected whenever it has grown by this
 * percentage: by default, long runs over many nodes grow to several times the memory they need.
 */
export const engineFlag =
  "--v8-flags=--min-semi-space-size=2,--max-semi-space-size=2,--heap-growing-percent=30";

/** Flags for TypeScript runbooks: they run in workers without permissions, and there are no permission prompts. */
export const sandboxFlags: readonly string[] = [
  "--unstable-worker-options",
  "--no-prompt",
];

/**
 * Runtime arguments of the portable form. Its code cache only contains functions compiled before the first
 * line runs, so all are compiled eagerly; others would be compiled at every start.
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

/** Commands that only compute, and briefly. All others run longer, or wait for nodes. */
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
 * The flags for {@linkcode quickCommands}: no V8 worker threads, since handing over work takes longer than
 * the work itself, and enough room for all new objects, so that there is no garbage collection. Code cached
 * with other flags is not used, so these commands have a separate cache.
 */
export const quickFlags: readonly string[] = runtimeFlags.map((flag) =>
  flag.startsWith(engineFlag)
    ? `${flag},--single-threaded,--min-semi-space-size=16,--max-semi-space-size=16`
    : flag
);

/**
 * Variables that change the behavior of Deno. The launcher of the portable form hides the user's values from
 * Deno, and the first line of the bundle restores them.
 */
export const shieldedVariables: readonly string[] = [
  "DENO_DIR",
  "DENO_NO_UPDATE_CHECK",
  "DENO_V8_FLAGS",
  "NODE_OPTIONS",
];

/**
 * Variables with which Deno would send, write or trust data against osctl's guarantees: they are removed permanently,
 * also for programs started by osctl. Of the `OTEL_` variables only the first has an effect by itself.
 */
export const removedVariables: readonly string[] = [
  // Sends all requests and console output to a collector.
  "OTEL_DENO",
  // Writes TLS session keys to a file.
  "SSLKEYLOGFILE",
  // Write files, or log file and API access.
  ...["DENO_AUDIT_PERMISSIONS", "DENO_COVERAGE_DIR", "DENO_LOG"],
  ...["DENO_NODE_TRACE_EVENT_CATEGORIES", "DENO_TRACE_PERMISSIONS"],
  ...["DENO_WEBGPU_TRACE", "NODE_DEBUG", "NODE_DEBUG_NATIVE"],
  ...["NODE_V8_COVERAGE", "RUST_LOG"],
  // Change the trusted CAs.
  ...["DENO_CERT", "DENO_NODE_USE_OPENSSL_CA", "DENO_TLS_CA_STORE"],
  ...["NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED"],
  "NODE_USE_SYSTEM_CA",
  // Listen on other addresses, use a proxy, load other code, or send credentials.
  ...["DENO_AUTH_TOKENS", "DENO_CACHE_LSC_ENDPOINT", "DENO_CONDITIONS"],
  ...["DENO_INTERNAL_CHILD_ENTRYPOINT", "DENO_SERVE_ADDRESS"],
  ...["NODE_CHANNEL_FD", "NODE_UNIQUE_ID", "NODE_USE_ENV_PROXY"],
];

/**
 * Variables of {@linkcode removedVariables} that take effect before the first line of a program: an executable built
 * with `deno compile` cannot remove them in time. Telemetry is not included, since it is decided at build time.
 */
export const refusedVariables: readonly string[] = [
  "DENO_AUDIT_PERMISSIONS",
  "DENO_COVERAGE_DIR",
  "NODE_V8_COVERAGE",
];

/**
 * Builds the command that runs osctl again: the same build from the same path.
 *
 * @param running Default the current process.
 */
export function selfCommand(
  args: readonly string[],
  running: ProgramLocation = currentProgram(),
): {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
} {
  const { standalone, execPath, source } = running;
  if (standalone) return { command: execPath, args: [...args], env: {} };
  if (source.endsWith("/provisioners/own_command.ts")) {
    const root = new URL("../", source);
    const config = decodeURIComponent(new URL("deno.json", root).pathname);
    const flags = ["run", "--allow-all", "--quiet", "--config", config];
    return {
      command: execPath,
      args: [...flags, new URL("mod.ts", root).href, ...args],
      env: { DENO_NO_UPDATE_CHECK: "1" },
    };
  }
  // The launcher passes the bundle as a file descriptor, which other processes do not have.
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

function currentProgram(): ProgramLocation {
  return {
    standalone: Deno.build.standalone,
    execPath: Deno.execPath(),
    source: import.meta.url,
  };
}
