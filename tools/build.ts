/** Builds the executable: by `deno compile` if available, otherwise in the portable form. */

import { parseArgs } from "node:util";
import configuration from "../deno.json" with { type: "json" };
import { UsageError } from "../errors.ts";
import { engineFlag, sandboxFlags } from "../provisioners/own_command.ts";
import { bundle, toCompiled, toPortable } from "./bundle.ts";
import { parsePlatform, type Platform } from "./platforms.ts";
import { portable } from "./portable.ts";
import { runTool } from "./run_tool.ts";
import { fetchRuntime } from "./runtime.ts";
import { gitIn, makeStamp, type Stamp } from "./stamp.ts";

/** Form of the executable; `any` prefers the compiled form. */
type ExecutableForm = "any" | "compile" | "portable";

interface BuildOptions {
  readonly platform: Platform;
  readonly form: ExecutableForm;
  readonly output: string;
  /** Called with progress messages, one line each. */
  readonly note: (line: string) => void;
}

const root = new URL("../", import.meta.url);

/**
 * Builds one executable.
 *
 * @param options Platform, form and target path.
 * @throws {Error} If a part is unavailable, or the executable does not start.
 */
export async function build(options: BuildOptions): Promise<void> {
  const { platform, output, note } = options;
  const stamp = await makeStamp({
    version: configuration.version,
    git: gitIn(root),
    epoch: Deno.env.get("SOURCE_DATE_EPOCH"),
    now: new Date(),
  });
  // In the target folder, so that a running executable is replaced atomically.
  const scratch = await Deno.makeTempDir({
    dir: output.replace(/[^/\\]*$/, "") || ".",
    prefix: ".build-",
  });
  try {
    const form = await formFor(options, scratch);
    const parts = `${scratch}/bundle`;
    await bundle(root, parts, stamp);
    const fresh = `${scratch}/${output.replace(/^.*[/\\]/, "")}`;
    if (form === "compile") await toCompiled(parts);
    if (form === "compile") await compile(platform, `${parts}/mod.js`, fresh);
    else await pack(platform, stamp, scratch, fresh);
    if (platform.target === Deno.build.target) {
      await tryOut(fresh, stamp, scratch);
    }
    await Deno.rename(fresh, output);
    const size = Math.round((await Deno.stat(output)).size / 1_000_000);
    note(`${output}: ${platform.name}, ${form}, ${stamp.tag}, ${size} MB`);
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

async function formFor(
  { platform, form, note }: BuildOptions,
  scratch: string,
): Promise<"compile" | "portable"> {
  if (form !== "any") return form;
  const empty = `${scratch}/empty.js`;
  await Deno.writeTextFile(empty, "");
  if (await compiles(platform, empty, `${scratch}/empty`)) return "compile";
  note(
    `deno compile has no runtime stub for ${platform.name}: making the portable form`,
  );
  return "portable";
}

async function pack(
  platform: Platform,
  { tag }: Stamp,
  scratch: string,
  output: string,
): Promise<void> {
  const { caches, name } = platform;
  if (caches === undefined) {
    throw new Error(`Cannot make the portable form for ${name}`);
  }
  const parts = `${scratch}/bundle`;
  await toPortable(parts);
  const runtime = await fetchRuntime(platform, scratch);
  const file = await portable({
    platform: name,
    caches,
    tag,
    runtime,
    bundle: parts,
  });
  await Deno.writeFile(output, file, { mode: 0o755 });
}

async function compile(
  platform: Platform,
  entry: string,
  output: string,
): Promise<void> {
  if (!await compiles(platform, entry, output, "inherit")) {
    throw new Error(`Cannot compile for ${platform.name}`);
  }
}

async function compiles(
  { target }: Platform,
  entry: string,
  output: string,
  stderr: "inherit" | "null" = "null",
): Promise<boolean> {
  // The code cache of a compiled executable would be a file in /tmp that any user can create.
  const safe = "--no-code-cache";
  const run = ["--allow-all", "--no-config", engineFlag, ...sandboxFlags];
  const flags = ["--quiet", "--no-check", safe, ...run];
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["compile", ...flags, "--target", target, "--output", output, entry],
    // An executable sends telemetry if its build did.
    env: { OTEL_DENO: "false" },
    stdout: "null",
    stderr,
  }).output();
  return success;
}

/** Runs the executable: a wrong stub would start something else. */
async function tryOut(
  path: string,
  { tag }: Stamp,
  scratch: string,
): Promise<void> {
  const { stdout } = await new Deno.Command(path, {
    args: ["version", "--client", "--short"],
    // The folder contains the executable under the name of the cache.
    env: { XDG_CACHE_HOME: `${scratch}/cache` },
    stderr: "inherit",
  }).output();
  const said = new TextDecoder().decode(stdout);
  if (said !== `Client:\nosctl ${tag}\n`) {
    throw new Error(`Cannot use ${path}: it says ${JSON.stringify(said)}`);
  }
}

/**
 * Parses the command line of the build.
 *
 * @param args Arguments: `--target` (repeatable), `--form`, `--output`.
 * @param dist Default output folder, with a trailing slash.
 * @returns Builds, in order.
 * @throws {UsageError} If a target or form is unknown.
 */
export function parseRequest(
  args: readonly string[],
  dist: string,
): readonly Omit<BuildOptions, "note">[] {
  const { values: { target, form, output } } = parseArgs({
    args: [...args],
    options: {
      target: { type: "string", multiple: true },
      form: { type: "string", default: "any" },
      output: { type: "string" },
    },
  });
  if (form !== "any" && form !== "compile" && form !== "portable") {
    throw new UsageError(
      `Unknown form "${form}": known are any, compile, portable`,
    );
  }
  return (target ?? [Deno.build.target]).map((wanted) => {
    const platform = parsePlatform(wanted);
    const ending = platform.name.startsWith("windows") ? ".exe" : "";
    const name = target === undefined ? "osctl" : `osctl-${platform.name}`;
    return { platform, form, output: output ?? `${dist}${name}${ending}` };
  });
}

const usage =
  "deno task build [--target PLATFORM]... [--form any|compile|portable] [--output FILE]";

if (import.meta.main) {
  await runTool(usage, async () => {
    const dist = new URL("dist/", root).pathname;
    const requests = parseRequest(Deno.args, dist);
    await Deno.mkdir(dist, { recursive: true });
    for (const one of requests) {
      const note = (line: string) =>
        Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
      await build({ ...one, note });
    }
    return { hasProblems: false };
  });
}
