/** Makes the files of a release besides the executables: Debian packages, formula, install script, image. */

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import configuration from "../../deno.json" with { type: "json" };
import { ConfigError, UsageError } from "../../errors.ts";
import { type Platform, platforms } from "../platforms.ts";
import { packDebian } from "./debian.ts";
import { findDownloads, formula, type ReleaseFacts } from "./formula.ts";
import { runTool } from "../run_tool.ts";
import { gitIn, makeStamp } from "../stamp.ts";
import { writeImageContext } from "./image.ts";

/**
 * Fills in the install script.
 *
 * @param release The release.
 * @param key Public key of minisign, base64.
 * @throws {Error} If the key or the tag is malformed.
 */
export async function installScript(
  release: ReleaseFacts,
  key: string,
): Promise<string> {
  if (!/^RW[\w+/]{54}$/.test(key)) {
    throw new UsageError(`Not a public key of minisign: "${key}"`);
  }
  if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(release.tag)) {
    throw new UsageError(`Not a version tag: "${release.tag}"`);
  }
  const values: Readonly<Record<string, string>> = {
    TAG: release.tag,
    KEY: key,
    URL: findDownloads(release),
  };
  const script = new URL("install.sh", import.meta.url);
  return (await Deno.readTextFile(script))
    .replaceAll(/@(TAG|KEY|URL)@/g, (_, name) => values[name] ?? "");
}

/**
 * Finds the executables in a folder, by platform.
 *
 * @param options `osctl` of a build without targets is that of the target `plain`; `needsAll`: one for each platform,
 * default for any.
 */
async function findBuilt(
  folder: string,
  isWanted: (platform: Platform) => boolean,
  { plain, needsAll = false }: {
    readonly plain?: string;
    readonly needsAll?: boolean;
  } = {},
): Promise<ReadonlyMap<string, string>> {
  const wanted = platforms.filter(isWanted);
  const files = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  const built = new Set(files.map(({ name }) => name));
  const found = new Map(
    wanted.filter(({ name }) => built.has(`osctl-${name}`))
      .map(({ name }) => [name, `${folder}/osctl-${name}`]),
  );
  const here = wanted.find(({ target }) => target === plain);
  if (here !== undefined && !found.has(here.name) && built.has("osctl")) {
    found.set(here.name, `${folder}/osctl`);
  }
  const missing = wanted.filter(({ name }) => !found.has(name));
  if (needsAll ? missing.length === 0 : found.size > 0) return found;
  const names = missing.map(({ name }) => `osctl-${name}`);
  const targets = missing.map(({ name }) => `--target ${name}`);
  throw needsAll
    ? new ConfigError(`Missing in ${folder}: ${names.join(" and ")}`, {
      hint: `Build with: deno task build ${targets.join(" ")}`,
    })
    : new ConfigError(
      `No executable in ${folder}: expected ${names.join(" or ")}`,
      { hint: `Build one with: deno task build ${targets[0]}` },
    );
}

async function hashFile(path: string): Promise<string> {
  const bytes = await Deno.readFile(path);
  return createHash("sha256").update(bytes).digest("hex");
}

/** Reads a public key of minisign from its file; a key itself is returned as it is. */
async function readKey(given: string): Promise<string> {
  if (given === "") {
    throw new UsageError(
      "The public key of minisign is missing: give --key FILE",
    );
  }
  try {
    const lines = (await Deno.readTextFile(given)).trim().split("\n");
    return lines.at(-1) ?? "";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return given;
    throw error;
  }
}

/** Finds the version tag of this checkout, as the executables have it: `-dev` between releases. */
async function findTag(): Promise<string> {
  const { tag } = await makeStamp({
    version: configuration.version,
    git: gitIn(new URL("../../", import.meta.url)),
    epoch: undefined,
    now: new Date(),
  });
  return tag;
}

/**
 * Writes one kind of files into the folder of the executables.
 *
 * @param args `deb`, `formula`, `image` or `install-script`, and the folder.
 * @param tagHere Finds the tag that is used without `--tag`.
 * @returns Paths of the files; of an image, its build context.
 * @throws {UsageError} If the kind is unknown.
 * @throws {ConfigError} If no executable is there.
 */
export async function writePackages(
  args: readonly string[],
  tagHere = findTag,
): Promise<readonly string[]> {
  const { values: { tag, repository, key }, positionals } = parseArgs({
    args: [...args],
    options: {
      tag: { type: "string" },
      repository: { type: "string", default: "osctl/osctl" },
      key: { type: "string", default: "" },
    },
    allowPositionals: true,
  });
  const [kind, folder = "dist"] = positionals;
  const findRelease = async () => ({ tag: tag ?? await tagHere(), repository });
  if (kind === "deb") {
    const linux = await findBuilt(
      folder,
      ({ name }) => /^linux-/.test(name),
      { plain: Deno.build.target },
    );
    return await packDebian(folder, linux, await findRelease());
  }
  if (kind === "formula") {
    const built = await findBuilt(folder, ({ name }) => !/^win/.test(name), {
      needsAll: true,
    });
    const hashes = await Promise.all(
      [...built].map(async ([name, path]) =>
        [name, await hashFile(path)] as const
      ),
    );
    const text = formula(await findRelease(), new Map(hashes));
    await Deno.writeTextFile(`${folder}/osctl.rb`, text);
    return [`${folder}/osctl.rb`];
  }
  if (kind === "install-script") {
    const text = await installScript(await findRelease(), await readKey(key));
    await Deno.writeTextFile(`${folder}/install.sh`, text);
    return [`${folder}/install.sh`];
  }
  if (kind === "image") {
    await writeImageContext(
      `${folder}/osctl`,
      `${folder}/image`,
      await findRelease(),
    );
    return [`${folder}/image`];
  }
  throw new UsageError(
    kind === undefined
      ? "Give the kind of package: deb, formula, image or install-script"
      : `Unknown kind "${kind}": known are deb, formula, image, install-script`,
  );
}

const usage = "deno task package KIND [FOLDER] [flags]; more with --help";

const help = `Usage: deno task package KIND [FOLDER] [flags]

Writes files of a release next to its executables in FOLDER, by default dist,
and prints their paths.

Kinds:
  deb             Debian packages, of each osctl-linux-*, and on Linux of osctl
                  if this machine's is not among them; needs dpkg-deb.
                  Install one with: sudo apt install ./FILE
  formula         Homebrew formula osctl.rb; needs all but Windows, so before:
                  deno task build --target darwin-amd64 --target darwin-arm64
                    --target linux-amd64 --target linux-arm64
  image           context of the container image, of osctl; on Linux. Build it
                  with: docker build -t osctl FOLDER/image
  install-script  install.sh, which verifies what it downloads; needs --key

Flags:
  --tag TAG                version tag, by default that of this checkout
  --repository OWNER/NAME  GitHub repository, by default osctl/osctl
  --key FILE               public key of minisign, or the key itself
`;

if (import.meta.main) {
  await runTool(usage, async () => {
    const text = Deno.args.includes("--help")
      ? help
      : (await writePackages(Deno.args)).map((path) => `${path}\n`).join("");
    await Deno.stdout.write(new TextEncoder().encode(text));
    return { hasProblems: false };
  });
}
