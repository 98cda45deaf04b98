/** `node.collectSupport`: collects diagnostics of a node before it is changed again. */

import { loadDocuments } from "../../config/documents/load.ts";
import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { processMasker } from "../../lib/masker.ts";
import { OsctlError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { payload } from "../../transport/call/payload.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import { withoutSecrets } from "../../transport/connect/status_text.ts";
import { containerRuntime } from "../../transport/node/containers.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { resourceTypes } from "../../transport/node/resource_types.ts";
import type { OperationProgress } from "../operations/operation.ts";
import type { Module } from "./module.ts";

/** Saves logs and states of a node into the folder of the run. */
export const nodeCollectSupport: Module = {
  kind: "read",
  name: "node.collectSupport",
  summary: "Collect logs and state of a node in the run's folder",
  scope: "node",
  input: {},
  output: {
    folder: { type: "path", summary: "Folder with the files" },
    files: { type: "int", summary: "Number of files" },
    missing: {
      type: "list",
      items: {
        type: "string",
        summary: "A missing file, and why it is missing",
      },
      summary: "Files that could not be read",
    },
  },
  retryable: ["unavailable", "deadline"],
  timeout: "10m",
  async *read({ node, client, clock, signal, artifacts }) {
    const now = new Date(clock.now()).toISOString();
    const time = now.replace(/[-:]|\.\d+/g, "");
    const name = node.replace(/[^A-Za-z0-9._-]/g, "_");
    const folder = `${artifacts}/support-${name}-${time}`;
    const bundle = yield* collectBundle(client, { folder, signal });
    const { files, missing } = bundle;
    return { folder, files: files.length, missing };
  },
};

interface Bundle {
  /** Its files, in creation order. */
  readonly files: readonly string[];
  /** Missing items, with reasons. */
  readonly missing: readonly string[];
}

interface SupportFile {
  readonly path: string;
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** Timeout for the first request, in milliseconds: an unreachable node is not queried further. */
const firstMs = 5_000;

/** Timeout for each file, in milliseconds. */
const deadlineMs = 30_000;

/** Maximum file size, in bytes; the rest is omitted. */
const largest = 16 * 1024 ** 2;

const tailLines = 5_000;

/**
 * Collects diagnostics of a node. Omits resources with secrets.
 *
 * @throws {OsctlError} If the node does not answer at all.
 */
export async function* collectBundle(
  client: NodeClient,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): AsyncGenerator<OperationProgress, Bundle> {
  const { messages } = await client.machine.version({}, {
    deadlineMs: firstMs,
  });
  const files: string[] = [];
  const missing: string[] = [];
  const read = () => learnConfiguration(client);
  const learned = await attempt(read, "secrets to hide in logs", missing);
  if (learned.gone) return { files, missing };
  const groups = [
    () => Promise.resolve(stateParts(client, messages)),
    () => logParts(client),
    () => resourceParts(client),
  ];
  for (const partsOf of groups) {
    // Sequential: the node may be short of resources.
    const listed = await attempt(partsOf, "list of files", missing);
    for (const { path, read } of listed.value ?? []) {
      signal.throwIfAborted();
      yield { text: `reading ${path}` };
      const written = () => write(`${folder}/${path}`, read());
      const { value: kept, gone } = await attempt(written, path, missing);
      if (kept) files.push(path);
      if (gone) return { files, missing };
    }
    if (listed.gone) break;
  }
  signal.throwIfAborted();
  return { files, missing };
}

/** Reads an item; records failures, and throws when the node is unreachable. */
async function attempt<T>(
  read: () => Promise<T>,
  name: string,
  missing: string[],
): Promise<{ readonly value?: T; readonly gone: boolean }> {
  try {
    return { value: await read(), gone: false };
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    missing.push(`${name}: ${error.message}`);
    return { gone: failureKind(error) === "away" };
  }
}

function stateParts(
  { machine }: NodeClient,
  version: unknown,
): readonly SupportFile[] {
  const options = { deadlineMs };
  return [
    { path: "version.json", read: () => json(version) },
    {
      path: "services.json",
      read: () => json(machine.serviceList({}, options)),
    },
    {
      path: "processes.json",
      read: () => json(machine.processes({}, options)),
    },
    { path: "mounts.json", read: () => json(machine.mounts({}, options)) },
    { path: "memory.json", read: () => json(machine.memory({}, options)) },
    { path: "kernel.log", read: () => payload(machine.dmesg({}, options)) },
  ];
}

async function logParts(
  { machine }: NodeClient,
): Promise<readonly SupportFile[]> {
  const { messages } = await machine.serviceList({}, { deadlineMs });
  const services = messages.flatMap(({ services }) => services);
  return services.map(({ id }) => ({
    path: `logs/${plainName(id)}.log`,
    read: () =>
      payload(machine.logs({
        ...containerRuntime(false),
        id,
        tailLines,
      }, { deadlineMs })),
  }));
}

async function resourceParts(
  client: NodeClient,
): Promise<readonly SupportFile[]> {
  const types = await resourceTypes(client);
  return types.filter(({ sensitive }) => !sensitive).map((type) => ({
    path: `resources/${plainName(type.id)}.yaml`,
    async *read() {
      const answers = client.state.list({
        namespace: type.defaultNamespace,
        type: type.type,
        options: {},
      }, { deadlineMs });
      for await (const { resource } of answers) {
        const id = resource?.metadata?.id ?? "";
        yield bytes(`--- # ${id}\n${resource?.spec?.yamlSpec.trimEnd()}\n`);
      }
    },
  }));
}

/** Registers the configuration's secrets first: logs repeat the configuration. */
async function learnConfiguration(client: NodeClient): Promise<void> {
  const text = await readMachineConfiguration(client);
  loadDocuments(text, client.node);
}

function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
}

async function* json(value: unknown): AsyncGenerator<Uint8Array> {
  const read = (_: string, one: unknown) =>
    typeof one === "bigint" ? String(one) : one;
  yield bytes(`${JSON.stringify(await value, read, 2)}\n`);
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Writes a file unless it is empty. */
async function write(
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let room = largest;
  for await (const chunk of content) {
    parts.push(chunk.slice(0, room));
    room -= chunk.length;
    if (room <= 0) break;
  }
  const whole = await new Blob(parts).text();
  if (whole !== "") {
    await writeFileAtomic(path, processMasker.mask(withoutSecrets(whole)));
  }
  return whole !== "";
}
