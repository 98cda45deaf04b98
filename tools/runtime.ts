import type { Platform } from "./platforms.ts";

/** What the runtime that runs this is, and how to run programs. */
interface RuntimeFacts {
  readonly execPath: string;
  /** Target triple it was built for. */
  readonly target: string;
  readonly version: string;
  /** Runs a program and returns its standard output; raises when it fails. */
  readonly run: (program: string, args: readonly string[]) => Promise<string>;
}

/**
 * Gets the runtime of a platform, in the version that runs this.
 *
 * @param platform The platform.
 * @param folder Folder to unpack into when it is not on this machine.
 * @param facts Default: the present runtime.
 * @returns Path of the runtime's executable.
 * @throws {Error} If the npm client cannot get the package.
 */
export async function runtimeOf(
  platform: Platform,
  folder: string,
  facts: RuntimeFacts = present(),
): Promise<string> {
  const { execPath, target, version, run } = facts;
  // One that npm installed is the file of the package; others may be bound to this machine.
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
    run: outputOf,
  };
}

async function outputOf(
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
