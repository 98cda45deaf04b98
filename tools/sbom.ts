/** Generates the SBOM of an executable: CycloneDX 1.6. */

import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import configuration from "../deno.json" with { type: "json" };
import { findPackages, type Package, type Packages } from "./packages.ts";
import { parsePlatform, type Platform } from "./platforms.ts";
import { fetchRuntime } from "./runtime.ts";

/** Used fields of `deno.lock`, version 5. */
interface Lock {
  /** Packages by `name@version`, with peers after `_`. */
  readonly npm: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  /** Hash of the archive, as `sha512-` and base64. */
  readonly integrity: string;
}

interface FileHash {
  readonly alg: "SHA-256" | "SHA-512";
  readonly content: string;
}

/** License: an SPDX identifier or expression. */
type Licence =
  | {
    readonly license: {
      readonly id: string;
    };
  }
  | {
    readonly expression: string;
  };

interface Component {
  readonly type: "application" | "library" | "platform";
  readonly "bom-ref": string;
  /** Scope of its name, such as `@grpc`. */
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  /** Package URL. */
  readonly purl?: string;
  /** Hash of the executable, of the runtime's file, or of a package's archive. */
  readonly hashes: readonly [FileHash];
  readonly licenses: readonly [Licence];
}

interface Bom {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly version: 1;
  readonly metadata: {
    readonly component: Component;
  };
  /** Components of the product. */
  readonly components: readonly Component[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn: readonly string[];
  }[];
}

interface BilledFile {
  readonly version: string;
  /** SHA-256 of the file, hexadecimal. */
  readonly sha256: string;
}

/** Input of the SBOM. */
export interface BomParts {
  /** The lock file with the hashes of packages. */
  readonly lock: Lock;
  readonly packages: Packages;
  readonly osctl: BilledFile;
  /** Runtime file in the executable. */
  readonly deno: BilledFile;
}

/**
 * Generates the SBOM.
 *
 * @param parts Packages, hashes and versions.
 * @throws {Error} If the lock file lacks a package.
 */
export function makeBom({ lock, packages, osctl, deno }: BomParts): Bom {
  const keys = new Map(packages.all.map((one) => [one.key, packageUrl(one)]));
  const listUrls = (needs: readonly string[]) =>
    needs.flatMap((key) => keys.get(key) ?? []).sort();
  const runtime: Component = {
    type: "platform",
    "bom-ref": `deno@${deno.version}`,
    name: "deno",
    version: deno.version,
    hashes: [{ alg: "SHA-256", content: deno.sha256 }],
    licenses: [{ license: { id: "MIT" } }],
  };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": "osctl",
        name: "osctl",
        version: osctl.version,
        hashes: [{ alg: "SHA-256", content: osctl.sha256 }],
        licenses: [{ license: { id: configuration.license } }],
      },
    },
    components: [
      runtime,
      ...packages.all.map((one) => toComponent(lock, one)),
    ],
    dependencies: [
      {
        ref: "osctl",
        dependsOn: [runtime["bom-ref"], ...listUrls(packages.roots)],
      },
      ...packages.all.map((one) => ({
        ref: packageUrl(one),
        dependsOn: listUrls(one.needs),
      })),
    ],
  };
}

function toComponent(lock: Lock, one: Package): Component {
  const locked = lock.npm[one.key];
  if (locked === undefined) {
    throw new Error(`Cannot find "${one.key}" in deno.lock`);
  }
  const [scope, name] = one.name.includes("/")
    ? one.name.split("/")
    : [undefined, one.name];
  const digest = Uint8Array.fromBase64(locked.integrity.replace("sha512-", ""));
  return {
    type: "library",
    "bom-ref": packageUrl(one),
    group: scope,
    name: name ?? one.name,
    version: one.version,
    purl: packageUrl(one),
    hashes: [{ alg: "SHA-512", content: digest.toHex() }],
    licenses: [toLicense(one)],
  };
}

function toLicense({ license }: Package): Licence {
  return /[\s()]/.test(license)
    ? { expression: license }
    : { license: { id: license } };
}

function packageUrl({ name, version }: Package): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** The stub of a compiled executable is in the runtime's cache; the portable form contains the runtime itself. */
async function runtimeFile(
  platform: Platform,
  form: string,
  scratch: string,
): Promise<string> {
  if (form === "portable") return await fetchRuntime(platform, scratch);
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json"],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("Cannot find the cache of the runtime");
  const { denoDir } = JSON.parse(new TextDecoder().decode(stdout));
  const name = `denort-${platform.target}.zip`;
  return Deno.env.get("DENORT_BIN") ??
    `${denoDir}/dl/release/v${Deno.version.deno}/${name}`;
}

async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  using file = await Deno.open(path);
  for await (const bytes of file.readable) hash.update(bytes);
  return hash.digest("hex");
}

if (import.meta.main) {
  const { values, positionals: [path] } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      target: { type: "string", default: Deno.build.target },
      form: { type: "string", default: "compile" },
    },
  });
  if (path === undefined) throw new Error("Name the executable");
  const root = new URL("../", import.meta.url);
  const scratch = await Deno.makeTempDir();
  try {
    const platform = parsePlatform(values.target);
    const runtime = await runtimeFile(platform, values.form, scratch);
    const bill = makeBom({
      lock: JSON.parse(await Deno.readTextFile(new URL("deno.lock", root))),
      packages: await findPackages(new URL("mod.ts", root)),
      osctl: { version: configuration.version, sha256: await sha256(path) },
      deno: { version: Deno.version.deno, sha256: await sha256(runtime) },
    });
    const text = JSON.stringify(bill, undefined, 2);
    await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}
