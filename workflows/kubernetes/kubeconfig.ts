/** Admin kubeconfig from a control plane. */

import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { learnSecret } from "../../config/documents/load.ts";
import { readDocuments } from "../../config/tree/read.ts";
import { OsctlError, RefusedError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { payload } from "../../transport/call/payload.ts";
import { archiveEntries } from "../../lib/archive/entries.ts";

/** Timeout for the kubeconfig, in milliseconds. */
const deadlineMs = 30_000;

/** Maximum size of a kubeconfig, in bytes. */
const limit = 1024 * 1024;

/**
 * Reads the admin kubeconfig from a control plane.
 *
 * @param client Client of a control plane. Source: `MachineService.Kubeconfig`.
 * @returns YAML, rewritten: only fields of node kubeconfigs.
 * @throws {OsctlError} If the response contains none.
 * @throws {RefusedError} If it has any other field, such as programs to run or paths of this machine.
 */
export async function readKubeconfig(
  { node, machine }: Pick<NodeClient, "node" | "machine">,
): Promise<string> {
  const archive = payload(machine.kubeconfig({}, { deadlineMs }));
  // Nodes omit the end-of-archive marker, so do not read to the end.
  for await (const { kind, body } of archiveEntries(archive)) {
    if (kind !== "file") continue;
    const text = await readText(body, node);
    learn(text);
    return checkKubeconfig(text, node);
  }
  throw new OsctlError(
    `Cannot read the kubeconfig of ${node}: the node sent none`,
  );
}

/** Registers its key and tokens as secrets. */
function learn(text: string): void {
  const secrets =
    /^[\s-]*(?:client-key-data|token|password):\s*["']?([^\s"']+)/gm;
  for (const [, secret = ""] of text.matchAll(secrets)) learnSecret(secret);
}

async function readText(
  body: AsyncIterable<Uint8Array>,
  node: string,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const bytes of body) {
    size += bytes.length;
    if (size > limit) {
      throw new OsctlError(`Cannot read the kubeconfig of ${node}: too large`);
    }
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

/** Lists in a node's kubeconfig, with their fields. */
const lists = [
  {
    list: "clusters",
    kind: "cluster",
    fields: ["server", "certificate-authority-data"],
  },
  {
    list: "users",
    kind: "user",
    fields: ["client-certificate-data", "client-key-data"],
  },
  {
    list: "contexts",
    kind: "context",
    fields: ["cluster", "namespace", "user"],
  },
] as const;

type List = (typeof lists)[number];

interface KubeconfigEntry {
  readonly name: string;
  /** Values by field; missing fields are omitted. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Rewrites a node's kubeconfig, so that it contains only checked fields. */
function checkKubeconfig(source: string, node: string): string {
  const file = `kubeconfig of ${node}`;
  const [first, ...others] =
    readDocuments(source, file, { mergeKeys: false }).documents;
  if (first === undefined || others.length > 0) {
    throw new OsctlError(
      `Cannot use the ${file}: it has ${
        others.length + (first ? 1 : 0)
      } documents instead of one`,
    );
  }
  const root = toCursor(first.root);
  const current = root.get("current-context").text() ?? "";
  const entries = lists.map((one) => readEntries(one, root));
  const [clusters = [], users = [], contexts = []] = entries;
  const problems = [
    ...foreignFields(root),
    ...clusters.flatMap(plainServer),
    ...contexts.flatMap((context) => [
      ...strayName(context, "cluster", clusters),
      ...strayName(context, "user", users),
    ]),
    ...contexts.some(({ name }) => name === current)
      ? []
      : [`current-context "${current}" is not one of its contexts`],
  ];
  if (problems.length > 0) {
    throw new RefusedError(
      `Refused the ${file}: ${problems.join(", ")}`,
      {
        hint:
          "A kubeconfig from a node has only addresses, certificates and keys: find out who changed it",
      },
    );
  }
  return [
    "apiVersion: v1\nkind: Config\n",
    ...lists.map((one, i) => writtenList(one, entries[i] ?? [])),
    `current-context: ${scalar(current)}\n`,
  ].join("");
}

function readEntries(
  { list, kind, fields }: List,
  root: Cursor,
): readonly KubeconfigEntry[] {
  return root.get(list).items().map((item) => ({
    name: item.get("name").text() ?? "",
    fields: new Map(fields.flatMap((field) => {
      const text = item.get(kind, field).text();
      return text === undefined ? [] : [[field, text] as const];
    })),
  }));
}

/** Lists fields that node kubeconfigs do not have. */
function foreignFields(root: Cursor): readonly string[] {
  const known: readonly string[] = lists.map(({ list }) => list);
  return [
    ...root.entries().flatMap(([key, value]) => {
      // Most tools write an empty one.
      if (key === "preferences") return value.entries().length > 0 ? [key] : [];
      if (known.includes(key)) return [];
      return isText(value, ["apiVersion", "kind", "current-context"], key);
    }),
    ...lists.flatMap(({ list, kind, fields }) =>
      root.get(list).items().flatMap((item) => {
        const name = item.get("name").text() ?? "";
        return [
          ...item.entries().flatMap(([key, value]) =>
            key === kind ? [] : isText(value, ["name"], key)
          ),
          ...item.get(kind).entries().flatMap(([key, value]) =>
            isText(value, fields, key)
          ),
        ].map((key) => `${kind} "${name}" has "${key}"`);
      })
    ),
  ];
}

/** Returns the key of a known field with a text or null. */
function isText(
  { node, text }: Cursor,
  keys: readonly string[],
  key: string,
): readonly string[] {
  const plain = node === undefined || text() !== undefined;
  return keys.includes(key) && plain ? [] : [key];
}

function plainServer({ name, fields }: KubeconfigEntry): readonly string[] {
  const server = fields.get("server") ?? "";
  return server.startsWith("https://") ? [] : [
    `cluster "${name}" has the server "${server}", which is not an https URL`,
  ];
}

/** A context must not refer to an entry of the same name on this machine. */
function strayName(
  { name, fields }: KubeconfigEntry,
  kind: "cluster" | "user",
  entries: readonly KubeconfigEntry[],
): readonly string[] {
  const wanted = fields.get(kind) ?? "";
  return entries.some((entry) => entry.name === wanted)
    ? []
    : [`context "${name}" refers to ${kind} "${wanted}", which does not exist`];
}

function writtenList(
  { list, kind }: List,
  entries: readonly KubeconfigEntry[],
): string {
  const items = entries.map(({ name, fields }) => {
    const named = [`name: ${scalar(name)}`];
    const content = [
      `${kind}:`,
      ...[...fields].map(([key, text]) => `  ${key}: ${scalar(text)}`),
    ];
    const lines = kind === "context"
      ? [...content, ...named]
      : [...named, ...content];
    return lines.map((line, i) => `${i === 0 ? "- " : "  "}${line}\n`).join("");
  });
  return items.length === 0 ? `${list}: []\n` : `${list}:\n${items.join("")}`;
}

/** Quotes a text unless all YAML parsers read it the same. */
function scalar(text: string): string {
  const isPlain = /^[a-z][a-z0-9@._+=/-]*$/i.test(text) ||
    /^https:\/\/[a-z0-9.:/[\]-]*[a-z0-9/]$/i.test(text);
  return isPlain && !/^(true|false|yes|no|on|off|y|n|null)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
