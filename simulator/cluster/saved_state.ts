import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { ConfigError } from "../../errors.ts";
import { caIn } from "../state/trust.ts";
import type { CertificateAuthority } from "../../pki/certificate.ts";
import type { BootEntries } from "../release/boot_entries.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { UserDisk } from "../state/node_disk.ts";

/** Storage of state: texts by name. */
export interface Store {
  /** Reads the text with a name; `undefined` if there is none. */
  readonly read: (name: string) => Promise<string | undefined>;
  /** Writes a text atomically: readers see either the old or the new one. */
  readonly write: (name: string, text: string) => Promise<void>;
}

/** Saved state of a cluster. */
export interface SavedCluster {
  /** Keys, certificates and tokens shared by its nodes. */
  readonly secrets: SecretsBundle;
  /** CA of the node API; the one in {@linkcode secrets}. */
  readonly osCa: CertificateAuthority;
}

interface SavedNode {
  readonly uuid: string;
  /** False if it has no configuration. */
  readonly configured: boolean;
  /** Applied configuration, YAML; absent while it has its initial one. */
  readonly configuration?: string;
  /** Boot loader entries; `undefined` if nothing is installed. */
  readonly boot: BootEntries | undefined;
  /** META values by key. */
  readonly meta: ReadonlyMap<number, Uint8Array>;
  /** True if it was powered off; absent otherwise. */
  readonly isOff?: true;
  /** Disks other than the system disk; absent in state saved by older versions. */
  readonly userDisks?: readonly UserDisk[];
  /** How often each partition was wiped, by label. */
  readonly wipes: ReadonlyMap<string, number>;
}

/** A store that saves nothing. */
export const noStore: Store = {
  read: () => Promise.resolve(undefined),
  write: () => Promise.resolve(),
};

/** Loads the state of a cluster. Throws ConfigError if it was not written by {@linkcode saveCluster}. */
export async function loadCluster(
  store: Store,
): Promise<SavedCluster | undefined> {
  const saved = await load(store, clusterName, ["secrets"]);
  if (!saved) return undefined;
  // Written by `saveCluster`.
  const secrets = JSON.parse(saved.secrets ?? "") as SecretsBundle;
  return { secrets, osCa: await caIn(secrets.certs.os) };
}

/** Saves the state of a cluster. */
export async function saveCluster(
  store: Store,
  { secrets }: SavedCluster,
): Promise<void> {
  const saved = { secrets: JSON.stringify(secrets) };
  await store.write(clusterName, JSON.stringify(saved));
}

/** Loads the state of a node. Throws ConfigError if it was not written by {@linkcode saveNode}. */
export async function loadNode(
  store: Store,
  hostname: string,
): Promise<SavedNode | undefined> {
  const saved = await load(store, nodeName(hostname), ["uuid", "configured"]);
  if (!saved) return undefined;
  const { uuid = "", configured, configuration, boot, userDisks, isOff } =
    saved;
  // Written by `saveNode`; state of older versions has no wipes.
  const values = Object.entries(
    JSON.parse(saved.meta ?? "{}") as Record<string, string>,
  );
  const wipes = JSON.parse(saved.wipes ?? "{}") as Record<string, number>;
  return {
    uuid,
    configured: configured === "true",
    configuration,
    boot: boot === undefined ? undefined : JSON.parse(boot) as BootEntries,
    ...(isOff === undefined ? {} : { isOff: true }),
    ...(userDisks === undefined
      ? {}
      : { userDisks: JSON.parse(userDisks) as readonly UserDisk[] }),
    meta: new Map(
      values.map(([key, value]) =>
        [Number(key), Uint8Array.fromBase64(value)] as const
      ),
    ),
    wipes: new Map(Object.entries(wipes)),
  };
}

/** Saves the state of a node. */
export async function saveNode(
  store: Store,
  {
    origin,
    isOff,
    disk: { configured, configuration, bootEntries, meta, userDisks, wipes },
  }: SimulatedNode,
): Promise<void> {
  if (store === noStore) return;
  const values = [...meta].map(([key, value]) => [key, value.toBase64()]);
  const saved = {
    uuid: origin.uuid,
    configured: String(configured),
    configuration,
    boot: bootEntries && JSON.stringify(bootEntries),
    meta: JSON.stringify(Object.fromEntries(values)),
    userDisks: JSON.stringify(userDisks),
    wipes: JSON.stringify(Object.fromEntries(wipes)),
    ...(isOff ? { isOff: "true" } : {}),
  };
  await store.write(nodeName(origin.hostname), JSON.stringify(saved));
}

const clusterName = "cluster.json";

function nodeName(hostname: string): string {
  return `node-${hostname}.json`;
}

/** Loads an object with at least these members, all strings. */
async function load(
  store: Store,
  name: string,
  members: readonly string[],
): Promise<Readonly<Record<string, string>> | undefined> {
  const text = await store.read(name);
  if (text === undefined) return undefined;
  const saved = parse(text, name);
  const missing = members.find((member) => typeof saved[member] !== "string");
  if (missing === undefined) return saved as Record<string, string>; // checked above
  throw new ConfigError(
    `Cannot read saved state "${name}": it has no "${missing}"`,
  );
}

function parse(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const saved: unknown = JSON.parse(text);
    if (saved instanceof Object) return { ...saved };
  } catch (cause) {
    throw new ConfigError(
      `Cannot read saved state "${name}": it is not valid JSON`,
      {
        cause,
      },
    );
  }
  throw new ConfigError(
    `Cannot read saved state "${name}": it is not a JSON object`,
  );
}
