/** Makes the files of a release besides the executables: Debian packages, formula, install script, image. */

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import configuration from "../../deno.json" with { type: "json" };
import { ConfigError, UsageError } from "../../errors.ts";
import { type Platform, platforms } from "../platforms.ts";
import { packDebian } from "./debian.ts";
import { findDownloads, formula, type ReleaseFacts } from "./formula.ts";
import { runTool } from "../run_tool.ts";
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

/** Lists the platforms that have an executable in a folder. */
async function findBuilt(
  folder: string,
  isWanted: (platform: Platform) => boolean,
): Promise<readonly string[]> {
  const wanted = platforms.filter(isWanted).map(({ name }) => name);
  const files = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  const built = new Set(files.map(({ name }) => name));
  const found = wanted.filter((name) => built.has(`osctl-${name}`));
  if (found.length > 0) return found;
  throw new ConfigError(
    `No executable in ${folder}: expected ${
      wanted.map((name) => `osctl-${name}`).join(" or ")
    }`,
    { hint: `Build one with: deno task build --target ${wanted[0]}` },
  );
}

async function hashFile(path: string): Promise<string> {
  const bytes = await Deno.readFile(path);
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Writes one kind of files into the folder of the executables.
 *
 * @param args `deb`, `formula`, `image` or `install-script`, and the folder.
 * @throws {UsageError} If the kind is unknown.
 * @throws {ConfigError} If no executable is there.
 */
export async function writePackages(args: readonly string[]): Promise<void> {
  const { values: { tag, repository, key }, positionals } = parseArgs({
    args: [...args],
    options: {
      tag: { type: "string", default: `v${configuration.version}` },
      repository: { type: "string", default: "osctl/osctl" },
      key: { type: "string", default: "" },
    },
    allowPositionals: true,
  });
  const [kind, folder = "dist"] = positionals;
  const release = { tag, repository };
  if (kind === "deb") {
    const linux = await findBuilt(folder, ({ name }) => /^linux-/.test(name));
    await packDebian(folder, linux, tag);
  } else if (kind === "formula") {
    const names = await findBuilt(folder, ({ name }) => !/^win/.test(name));
    const hashes = await Promise.all(
      names.map(async (name) =>
        [name, await hashFile(`${folder}/osctl-${name}`)] as const
      ),
    );
    const text = formula(release, new Map(hashes));
    await Deno.writeTextFile(`${folder}/osctl.rb`, text);
  } else if (kind === "install-script") {
    const text = await installScript(release, key);
    await Deno.writeTextFile(`${folder}/install.sh`, text);
  } else if (kind === "image") {
    await writeImageContext(`${folder}/osctl`, `${folder}/image`);
  } else {
    throw new UsageError(
      kind === undefined
        ? "Give the kind of package: deb, formula, image or install-script"
        : `Unknown kind "${kind}": known are deb, formula, image, install-script`,
    );
  }
}

const usage =
  "deno task package deb|formula|image|install-script [FOLDER] [--tag TAG] [--repository OWNER/NAME] [--key KEY]";

if (import.meta.main) {
  await runTool(usage, async () => {
    await writePackages(Deno.args);
    return { hasProblems: false };
  });
}
