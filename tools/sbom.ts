/** Writes the bill of materials of an executable: CycloneDX 1.6, from `deno.lock`. */

import configuration from "../deno.json" with { type: "json" };

/** What is read of `deno.lock`, version 5. */
export interface Lock {
  /** Package, as `name@version` with its peers behind `_`, to what is known of it. */
  readonly npm: Readonly<Record<string, LockedPackage>>;
}

/** One package of a lock file. */
export interface LockedPackage {
  /** Hash of the archive, as `sha512-` and base64. */
  readonly integrity: string;
  /** Names, with a version where the lock file holds several of them. */
  readonly dependencies?: readonly string[];
}

/** One part of the product. */
export interface Component {
  /** Kind of part. */
  readonly type: "application" | "library" | "platform";
  /** What dependencies call it. */
  readonly "bom-ref": string;
  /** Scope of its name, such as `@grpc`. */
  readonly group?: string;
  /** Name without scope. */
  readonly name: string;
  /** Version. */
  readonly version: string;
  /** Where it comes from, as a package URL. */
  readonly purl?: string;
  /** Hash of its archive. */
  readonly hashes?: readonly {
    /** Algorithm. */
    readonly alg: "SHA-512";
    /** Hexadecimal digits. */
    readonly content: string;
  }[];
}

/** A bill of materials. */
export interface Bom {
  /** Always `CycloneDX`. */
  readonly bomFormat: "CycloneDX";
  /** Version of the format. */
  readonly specVersion: "1.6";
  /** Version of the bill. */
  readonly version: 1;
  /** What the bill is for. */
  readonly metadata: {
    /** The product. */
    readonly component: Component;
  };
  /** Everything the product holds. */
  readonly components: readonly Component[];
  /** Who needs whom. */
  readonly dependencies: readonly {
    /** Part that needs others. */
    readonly ref: string;
    /** What it needs. */
    readonly dependsOn: readonly string[];
  }[];
}

/**
 * Makes the bill of materials.
 *
 * @param lock The lock file.
 * @param roots Packages that the program imports, as the keys of the lock file.
 * @param versions Version of osctl and of the runtime it carries.
 * @throws {Error} If the lock file lacks a package.
 */
export function bomOf(
  lock: Lock,
  roots: readonly string[],
  versions: {
    /** Version of osctl. */
    readonly osctl: string;
    /** Version of the runtime. */
    readonly deno: string;
  },
): Bom {
  const needs = reachable(lock, roots);
  const keys = [...needs.keys()].sort();
  const runtime: Component = {
    type: "platform",
    "bom-ref": `deno@${versions.deno}`,
    name: "deno",
    version: versions.deno,
  };
  const product: Component = {
    type: "application",
    "bom-ref": "osctl",
    name: "osctl",
    version: versions.osctl,
  };
  const direct = roots.filter(isCode).map(urlOf).sort();
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: product },
    components: [runtime, ...keys.map((key) => componentOf(lock, key))],
    dependencies: [
      { ref: "osctl", dependsOn: [runtime["bom-ref"], ...direct] },
      ...keys.map((key) => ({
        ref: urlOf(key),
        dependsOn: (needs.get(key) ?? []).map(urlOf).sort(),
      })),
    ],
  };
}

function reachable(
  lock: Lock,
  roots: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const needs = new Map<string, readonly string[]>();
  const open = roots.filter(isCode);
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (needs.has(key)) continue;
    const names = lock.npm[key]?.dependencies ?? [];
    const keys = names.map((name) => keyOf(lock, name)).filter(isCode);
    needs.set(key, keys);
    open.push(...keys);
  }
  return needs;
}

/** Packages of types leave nothing in the executable. */
function isCode(key: string): boolean {
  return !key.startsWith("@types/");
}

function keyOf(lock: Lock, name: string): string {
  if (name in lock.npm) return name;
  const found = Object.keys(lock.npm).filter((key) =>
    partsOf(key).full === name
  );
  const [key] = found;
  if (key === undefined) throw new Error(`Cannot find "${name}" in deno.lock`);
  return key;
}

function componentOf(lock: Lock, key: string): Component {
  const { full, version } = partsOf(key);
  const locked = lock.npm[key];
  if (locked === undefined) {
    throw new Error(`Cannot find "${key}" in deno.lock`);
  }
  const [scope, name] = full.includes("/")
    ? full.split("/")
    : [undefined, full];
  const digest = Uint8Array.fromBase64(locked.integrity.replace("sha512-", ""));
  return {
    type: "library",
    "bom-ref": urlOf(key),
    ...(scope === undefined ? {} : { group: scope }),
    name: name ?? full,
    version,
    purl: urlOf(key),
    hashes: [{ alg: "SHA-512", content: digest.toHex() }],
  };
}

function urlOf(key: string): string {
  const { full, version } = partsOf(key);
  return `pkg:npm/${full.replace("@", "%40")}@${version}`;
}

/** Behind `_` stand the peers a package was resolved with. */
function partsOf(key: string): { full: string; version: string } {
  const at = key.indexOf("@", 1);
  return {
    full: key.slice(0, at),
    version: key.slice(at + 1).replace(/_.*$/, ""),
  };
}

async function importedBy(entry: string): Promise<readonly string[]> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`Cannot read the imports of ${entry}`);
  const { modules }: {
    readonly modules: readonly { readonly npmPackage?: string }[];
  } = JSON.parse(new TextDecoder().decode(stdout));
  return [...new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? []))];
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const lock = JSON.parse(await Deno.readTextFile(new URL("deno.lock", root)));
  const roots = await importedBy(new URL("mod.ts", root).href);
  const versions = { osctl: configuration.version, deno: Deno.version.deno };
  const text = JSON.stringify(bomOf(lock, roots, versions), undefined, 2);
  await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
}
