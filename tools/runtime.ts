import type { Platform } from "./platforms.ts";

/** Facts of the current runtime, and how to run programs. */
interface RuntimeFacts {
  readonly execPath: string;
  /** Target triple it was built for. */
  readonly target: string;
  readonly version: string;
  /** Runs a program and returns its standard output; throws if it fails. */
  readonly run: (program: string, args: readonly string[]) => Promise<string>;
}

/**
 * Gets the runtime of a platform, in the current version.
 *
 * @param platform The platform.
 * @param folder Folder to unpack into if it is not on this machine.
 * @param facts Default: the current runtime.
 * @returns Path of the executable.
 * @throws {Error} If the npm client cannot get the package.
 */
export async function fetchRuntime(
  platform: Platform,
  folder: string,
  facts: RuntimeFacts = present(),
): Promise<string> {
  const { execPath, target, version, run } = facts;
  // A runtime from npm is the package's file; others may be specific to this machine.
  const fromNpm = execPath.includes("/node_modules/");
  if (platform.target === target && fromNpm) return execPath;
  const packed = await run("npm", [
    "pack",
    "--loglevel=error",
    "--prefer-offline",
    `--pack-destination=${folder}`,
    `${platform.runtime}@${version}`,
  ]);
  await run("tar", ["-xzf", `${folder}/${packed.trim()}`, "-C", folder]);
  return `${folder}/package/deno`;
}

function present(): RuntimeFacts {
  return {
    execPath: Deno.execPath(),
    target: Deno.build.target,
    version: Deno.version.deno,
    run: runForOutput,
  };
}

async function runForOutput(
  program: string,
  args: readonly string[],
): Promise<string> {
  const { success, stdout } = await new Deno.Command(program, {
    args: [...args],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot run ${program} ${args.join(" ")}`);
  return new TextDecoder().decode(stdout);
}
