/** Files a run leaves for the operator: a client configuration, and the new CAs. */

import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { backupPath } from "../../lib/files/exists.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import {
  type ClientContext,
  emptyOsconfig,
} from "../../config/osconfig/osconfig.ts";
import {
  parseOsconfig,
  renderOsconfig,
} from "../../config/osconfig/osconfig_file.ts";
import { updateOsconfig } from "../../config/osconfig/update_osconfig.ts";
import { encodeFile } from "../../config/generate/secrets.ts";
import { type Plain, toTree } from "../../config/tree/node.ts";
import { writeTree } from "../../config/tree/write.ts";
import type { Credential, RingHome, RunResources } from "./run_resources.ts";
import type { Vault } from "../vault/secrets.ts";
import { findRotation, newCaKey } from "./rotation.ts";

interface WrittenFile {
  readonly path: string;
  /** True if the file was written or changed. */
  readonly changed: boolean;
  readonly previous?: string;
}

/**
 * Writes a context into a client configuration; other contexts stay.
 *
 * @throws {ConfigError} If the file is not a client configuration, or cannot be written.
 */
export async function writeOsconfig(
  vault: Pick<Vault, "read">,
  credential: Credential,
  { path, home, keepPrevious, now }: {
    readonly path: string;
    readonly home: RingHome;
    readonly keepPrevious: boolean;
    readonly now: Date;
  },
): Promise<WrittenFile> {
  const before = await readBoundedText({
    path,
    limitMib: 16,
    expected: "a client configuration",
  });
  const old = before === undefined
    ? emptyOsconfig
    : await parseOsconfig(before, path);
  const context = await readContext(vault, credential, home);
  const known = old.contexts.get(home.name);
  const text = await renderOsconfig({
    ...old,
    current: home.name,
    contexts: new Map([
      ...old.contexts,
      [home.name, { ...known, ...context }],
    ]),
  });
  if (text === before) return { path, changed: false };
  const previous = before !== undefined && keepPrevious
    ? await backupPath(path, now)
    : undefined;
  if (previous !== undefined) await writeFileAtomic(previous, before ?? "");
  await writeFileAtomic(path, text);
  return { path, changed: true, ...previous === undefined ? {} : { previous } };
}

/**
 * Updates the certificates of the context the run was started with; the rest of the file stays.
 *
 * @returns Unchanged when the context is in no writable file, or no longer exists.
 * @throws {ConfigError} If the file is not a client configuration, or cannot be written.
 */
export async function updateContext(
  vault: Pick<Vault, "read">,
  credential: Credential,
  { home, now, signal }: {
    readonly home: RingHome;
    readonly now: Date;
    readonly signal: AbortSignal;
  },
): Promise<WrittenFile> {
  const { name, osconfig: path } = home;
  if (path === undefined) return { path: "", changed: false };
  const { ca, crt, key } = await readContext(vault, credential, home);
  let previous: string | undefined;
  const { written: changed } = await updateOsconfig(
    { path, writable: true },
    async ({ contexts, ...config }) => {
      const known = contexts.get(name);
      if (known === undefined) return undefined;
      const isSame = known.ca === ca && known.crt === crt && known.key === key;
      if (isSame) return undefined;
      previous = await backupPath(path, now);
      await writeFileAtomic(previous, config.source ?? "");
      const next = new Map([...contexts, [name, { ...known, ca, crt, key }]]);
      return { ...config, contexts: next };
    },
    { backup: false, signal },
  );
  return { path, changed, ...previous === undefined ? {} : { previous } };
}

/**
 * Writes the new CAs, formatted like a secrets bundle, and the new client certificate.
 *
 * @throws {ConfigError} If it cannot be written.
 */
export async function exportVault(
  { vault, ring }: Pick<RunResources, "vault" | "ring">,
  { path, cas, client }: {
    readonly path: string;
    readonly cas: boolean;
    readonly client: Credential | undefined;
  },
): Promise<WrittenFile> {
  const certs: Record<string, Plain> = {};
  if (cas) {
    for (const [kind, name] of [["os", "os"], ["kubernetes", "k8s"]] as const) {
      const found = await findRotation(vault, kind);
      if (found === undefined) continue;
      const key = await newCaKey({ vault }, kind);
      certs[name] = { crt: encodeFile(found.crt), key: encodeFile(key) };
    }
  }
  const osconfig = client && await renderOsconfig({
    current: ring.home.name,
    contexts: new Map([
      [ring.home.name, await readContext(vault, client, ring.home)],
    ]),
  });
  const text = writeTree(toTree({ certs, osconfig }));
  const before = await readBoundedText({
    path,
    limitMib: 16,
    expected: "secrets",
  });
  if (before === text) return { path, changed: false };
  await writeFileAtomic(path, text);
  return { path, changed: true };
}

async function readContext(
  vault: Pick<Vault, "read">,
  { ca, crt, key }: Credential,
  { endpoints, nodes }: RingHome,
): Promise<ClientContext> {
  return {
    endpoints,
    nodes,
    ca: encodeFile(ca),
    crt: encodeFile(crt),
    key: encodeFile(await vault.read(key)),
  };
}
