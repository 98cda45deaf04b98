/** Makes the files of a release besides the executables: Debian packages, formula, install script, image. */

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import configuration from "../../deno.json" with { type: "json" };
import { platforms } from "../platforms.ts";
import { packDebian } from "./debian.ts";
import { findDownloads, formula, type ReleaseFacts } from "./formula.ts";
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
    throw new Error(`Not a public key of minisign: "${key}"`);
  }
  if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(release.tag)) {
    throw new Error(`Not a version tag: "${release.tag}"`);
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

async function hashFile(path: string): Promise<string> {
  const bytes = await Deno.readFile(path);
  return createHash("sha256").update(bytes).digest("hex");
}

/**
 * Writes one kind of files into the folder of the executables.
 *
 * @param args `deb`, `formula`, `image` or `install-script`, and the folder.
 * @throws {Error} If an executable is missing.
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
    const linux = platforms.map(({ name }) => name)
      .filter((name) => name.startsWith("linux-"));
    await packDebian(folder, linux, tag);
  } else if (kind === "formula") {
    const hashes = await Promise.all(
      platforms.filter(({ name }) => !name.startsWith("windows-"))
        .map(async ({ name }) =>
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
    throw new Error(
      `Unknown kind "${
        kind ?? ""
      }": known are deb, formula, image, install-script`,
    );
  }
}

if (import.meta.main) await writePackages(Deno.args);
