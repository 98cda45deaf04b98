/**
 * Trust of servers without a valid certificate before they receive secrets:
 * compares, asks for and remembers fingerprints.
 */

import { parseJson } from "../../lib/json.ts";
import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { withFileLock } from "../../lib/files/file_lock.ts";
import { locateServers } from "../../config/osconfig/location.ts";
import { ConfigError, NodesError, RefusedError } from "../../errors.ts";
import { parseFingerprint, spkiFingerprint } from "../../pki/fingerprint.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { contextProxy } from "./osconfig.ts";
import { listProbes } from "../../transport/connect/probe.ts";
import { proxyFor } from "../../transport/connect/proxy.ts";
import { type Context, layOut, toggle, type Values } from "../_kit/mod.ts";
import { maintenanceInputs } from "../_kit/node_inputs.ts";
import { confirm, prompter } from "../../terminal/prompt.ts";

/** Flags of commands that also send secrets to nodes without a configuration. */
export const trustInputs = {
  ...maintenanceInputs,
  trustAny: toggle(
    "send secrets to any server, whatever its fingerprint, with --insecure",
    { step: false },
  ),
};

export type TrustInputs = Values<typeof trustInputs>;

/** Nodes trusted to receive secrets. */
interface TrustedNodes extends Disposable {
  /** Connections that accept no other server. */
  readonly nodes: Nodes;
}

interface KnownServer {
  readonly server: string;
  /** Base64 of SHA-256 of the SubjectPublicKeyInfo. */
  readonly fingerprint: string;
  /** Time it was accepted, ISO 8601. */
  readonly at: string;
}

/** Server certificate of a node. */
interface ShownServer {
  readonly node: string;
  readonly server: string;
  readonly fingerprint: string;
}

/** Timeout for the certificate of each server, in milliseconds. */
const lookTimeoutMs = 10_000;

/**
 * Verifies that the user trusts each server before it receives secrets: by `--cert-fingerprint`, an earlier
 * confirmation for the same address, or a prompt. `--trust-any` accepts all servers unseen.
 *
 * @param names Nodes as named; all are in maintenance mode.
 * @throws {RefusedError} If a fingerprint has changed, was not confirmed, or there is no terminal; nothing is sent.
 * @throws {ConfigError} If the remembered fingerprints cannot be read.
 * @throws {NodesError} If none of the nodes presents its certificate.
 */
export async function trustServers(
  context: Context<Pick<TrustInputs, "certFingerprint" | "trustAny">>,
  names: readonly string[],
  what: string,
): Promise<TrustedNodes> {
  const { input, nodes, environment, reopen, globals } = context;
  const known: TrustedNodes = { nodes, [Symbol.dispose]() {} };
  if (input.trustAny) return known;
  const { shown, failures } = await readFingerprints(context, names);
  if (shown.length === 0) throw new NodesError(failures, names.length);
  const path = locateServers(environment.env);
  const accepted = input.certFingerprint.map(parseFingerprint);
  if (accepted.length > 0) {
    // The session accepts no other fingerprint, so mismatches fail there, per
    // node.
    const named = shown.filter(({ fingerprint }) =>
      accepted.includes(fingerprint)
    );
    await remember(path, named, environment.now());
    return known;
  }
  const fresh = unknownServers(shown, await readServers(path), what);
  if (fresh.length > 0) {
    await ask(context, fresh, what);
    await remember(path, fresh, environment.now());
  }
  const opened = reopen({
    // Nodes without a certificate fail again, or present one that is not
    // accepted.
    nodes: names,
    alsoAt: [],
    nodeTimeoutMs: globals.nodeTimeout,
    fingerprints: shown.map(({ fingerprint }) => fingerprint),
  });
  return { nodes: opened, [Symbol.dispose]: () => opened.close() };
}

/** Reads the fingerprints of nodes in maintenance mode; sends nothing. */
export async function readFingerprints(
  context: Pick<Context<unknown>, "globals" | "environment" | "signal">,
  names: readonly string[],
) {
  const { signal } = context;
  const shown: ShownServer[] = [];
  const failures = new Map<string, unknown>();
  const { env } = context.environment;
  const proxyUrl = await contextProxy(context);
  await Promise.all(names.map(async (node) => {
    const endpoint = parseEndpoint(node);
    const { handshake } = listProbes({
      endpoint,
      proxy: proxyFor(endpoint, { env, proxyUrl }),
      trust: { kind: "maintenance", fingerprints: [] },
      timeoutMs: lookTimeoutMs,
      signal,
    });
    try {
      const { certificate } = await handshake();
      const fingerprint = await spkiFingerprint(certificate);
      shown.push({ node, server: endpoint.text, fingerprint });
    } catch (error) {
      failures.set(node, error);
    }
  }));
  shown.sort((a, b) => names.indexOf(a.node) - names.indexOf(b.node));
  return { shown, failures };
}

/** Servers the user has not trusted yet; refuses a changed fingerprint. */
function unknownServers(
  shown: readonly ShownServer[],
  known: readonly KnownServer[],
  what: string,
): readonly ShownServer[] {
  const before = new Map(known.map((one) => [one.server, one]));
  const changed = shown.filter(({ server, fingerprint }) =>
    (before.get(server)?.fingerprint ?? fingerprint) !== fingerprint
  );
  if (changed.length === 0) {
    return shown.filter(({ server }) => !before.has(server));
  }
  const lines = changed.map(({ node, server, fingerprint }) => {
    const { fingerprint: old, at } = before.get(server)!;
    return `${node} has fingerprint ${fingerprint}; it was ${old} on ${
      at.slice(0, 10)
    }`;
  });
  throw new RefusedError(
    `Nothing was sent: ${what} holds secrets, but another server answers:\n  ${
      lines.join("\n  ")
    }`,
    {
      hint:
        `A node without a configuration has a new fingerprint after each boot; if its console shows this one: ${
          flagFor(changed)
        }`,
    },
  );
}

async function ask(
  context: Context<unknown>,
  fresh: readonly ShownServer[],
  what: string,
): Promise<void> {
  const { environment, note } = context;
  const rows = fresh.map(({ node, fingerprint }) => [node, fingerprint]);
  const hint = `Compare it with the node's console, then: ${
    flagFor(fresh)
  }; to trust any server: --trust-any`;
  if (!environment.stdin.terminal) {
    const lines = rows.map(([node, seen]) => `${node} has fingerprint ${seen}`);
    throw new RefusedError(
      `Nothing was sent: ${what} holds secrets, but the server is not authenticated:\n  ${
        lines.join("\n  ")
      }`,
      { hint },
    );
  }
  note(layOut([["NODE", "FINGERPRINT"], ...rows], { gap: 3 }).text.trimEnd());
  note(
    "The server is not authenticated: compare the fingerprint with the one on the node's console.",
  );
  using prompts = prompter(context);
  if (await confirm(prompts, `Send ${what} with its secrets`, hint)) return;
  throw new RefusedError("The server was not confirmed", {
    hint: "Nothing was sent",
  });
}

function flagFor(shown: readonly ShownServer[]): string {
  const seen = new Set(shown.map(({ fingerprint }) => fingerprint));
  return `--cert-fingerprint ${[...seen].join(",")}`;
}

async function readServers(
  path: string | undefined,
): Promise<readonly KnownServer[]> {
  if (path === undefined) return [];
  const text = await readBoundedText({
    path,
    limitMib: 4,
    expected: "a list of servers",
  });
  if (text === undefined) return [];
  const content = parseServers(text);
  if (Array.isArray(content?.servers) && content.servers.every(isKnown)) {
    return content.servers;
  }
  throw new ConfigError(
    `Cannot read "${path}": it is not a valid list of server fingerprints`,
    {
      hint:
        "Move the file away; osctl will ask you to confirm fingerprints again",
    },
  );
}

function parseServers(
  text: string,
): { readonly servers?: unknown } | undefined {
  const content = parseJson(text);
  return typeof content === "object" && content !== null ? content : undefined;
}

function isKnown(one: unknown): one is KnownServer {
  const { server, fingerprint, at } = Object(one);
  return [server, fingerprint, at].every((text) => typeof text === "string");
}

async function remember(
  path: string | undefined,
  shown: readonly ShownServer[],
  now: Date,
): Promise<void> {
  if (path === undefined || shown.length === 0) return;
  await Deno.mkdir(path.replace(/[/\\][^/\\]*$/, ""), {
    recursive: true,
    mode: 0o700,
  });
  await withFileLock(path, async () => {
    const at = now.toISOString();
    const added = shown.map(({ server, fingerprint }) => ({
      server,
      fingerprint,
      at,
    }));
    const others = (await readServers(path)).filter(({ server }) =>
      !shown.some((one) => one.server === server)
    );
    const content = { v: 1, servers: [...others, ...added] };
    await writeFileAtomic(path, `${JSON.stringify(content, undefined, 2)}\n`);
  });
}
