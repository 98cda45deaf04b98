import { loadDocuments } from "../../config/documents/load.ts";
import { RpcError } from "../../errors.ts";
import { layOut } from "../../terminal/table.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { payload } from "../../transport/call/payload.ts";
import { single } from "../../transport/call/reply.ts";
import {
  containerRuntime,
  readContainers,
} from "../../transport/node/containers.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import {
  type ResourceType,
  resourceTypes,
} from "../../transport/node/resource_types.ts";
import { dotText } from "./dependency_graph.ts";
import { readDependencies } from "./read_dependencies.ts";
import {
  type ItemList,
  jsonText,
  pathName,
  type SupportItem,
  textContent,
} from "./support_item.ts";

/** Timeout for each request, in milliseconds. */
const answerMs = 30_000;

/** Timeout for each log, in milliseconds. */
const logMs = 300_000;

/**
 * Items of a node. The configuration is read first, for its secrets.
 *
 * @param configured False for a node without a configuration: it has no secrets and no pods, and shows no files.
 * @returns Lists of items; a failed list does not affect the others.
 */
export function nodeItems(
  client: NodeClient,
  configured = true,
): readonly ItemList[] {
  const list = (
    name: string,
    items: () => Promise<readonly Omit<SupportItem, "source">[]>,
  ): ItemList => ({
    name,
    items: async () =>
      (await items()).map((item) => ({
        ...item,
        source: client.node,
        path: `${pathName(client.node)}/${item.path}`,
      })),
  });
  let known: Promise<void> | undefined;
  // All lists share one read.
  const secretsKnown = async () => {
    if (configured) await (known ??= learnSecrets(client));
  };
  return [
    list("state", () => {
      const all = stateItems(client);
      return Promise.resolve(
        configured ? all : all.filter(({ path }) => path !== devicesPath),
      );
    }),
    list("logs", async () => {
      await secretsKnown();
      return logItems(client);
    }),
    list("services", async () => {
      await secretsKnown();
      return await serviceItems(client);
    }),
    list("containers", async () => {
      await secretsKnown();
      return configured ? await containerItems(client) : [];
    }),
    list("resources", async () =>
      (await resourceTypes(client))
        .filter(({ sensitive }) => configured || !sensitive)
        .map((type) => ({
          path: `resources/${pathName(type.id)}.yaml`,
          read: () => readResources(client, type),
        }))),
  ];
}

/** Registers the configuration's secrets: logs repeat the configuration, and are omitted if its secrets are unknown. */
async function learnSecrets(client: NodeClient): Promise<void> {
  loadDocuments(await readMachineConfiguration(client), client.node);
}

type NodeItem = Omit<SupportItem, "source">;

const devicesPath = "devices";

function stateItems(client: NodeClient): readonly NodeItem[] {
  const { machine } = client;
  const options = { deadlineMs: answerMs };
  const text = (path: string, read: () => Promise<string>): NodeItem => ({
    path,
    read: () => textContent(read()),
  });
  return [
    text(
      "summary",
      async () =>
        jsonText(single((await machine.version({}, options)).messages)),
    ),
    text("mounts", async () => {
      const { stats } = single((await machine.mounts({}, options)).messages);
      return table(
        ["FILESYSTEM", "SIZE", "AVAILABLE", "MOUNTED ON"],
        stats.map((one) => [
          ...[one.filesystem, one.size, one.available, one.mountedOn],
        ]),
      );
    }),
    text("io", async () => {
      const { devices } = single(
        (await machine.diskStats({}, options)).messages,
      );
      return table(
        [
          ...["NAME", "IO_TIME", "IO_TIME_WEIGHTED"],
          ...["DISK_WRITE_SECTORS", "DISK_READ_SECTORS"],
        ],
        devices.map((one) => [
          ...[one.name, one.ioTimeMs, one.ioTimeWeightedMs],
          ...[one.writeSectors, one.readSectors],
        ]),
      );
    }),
    text("processes", async () => {
      const { processes } = single(
        (await machine.processes({}, options)).messages,
      );
      return table(
        ["PID", "STATE", "THREADS", "CPU-TIME", "VIRTMEM", "RESMEM", "COMMAND"],
        processes.map((one) => [
          ...[one.pid, one.state, one.threads, one.cpuTime.toFixed(2)],
          ...[one.virtualMemory, one.residentMemory, one.args || one.command],
        ]),
      );
    }),
    {
      path: devicesPath,
      read: () =>
        payload(machine.read({ path: "/proc/bus/pci/devices" }, options)),
    },
    text(
      "dependencies.dot",
      async () =>
        dotText([await readDependencies(client, { withResources: true })]),
    ),
  ];
}

function table(
  header: readonly string[],
  rows: readonly (readonly (string | number | bigint)[])[],
): string {
  return layOut([header, ...rows.map((row) => row.map(String))], { gap: 3 })
    .text;
}

/** Errors for a missing log: not every service has one. */
const without: readonly string[] = ["UNKNOWN", "NOT_FOUND"];

async function* readLog(
  { machine }: NodeClient,
  id: string,
  kubernetes = false,
): AsyncGenerator<Uint8Array> {
  const request = {
    ...containerRuntime(kubernetes),
    ...{ id, follow: false, tailLines: -1 },
  };
  let isEmpty = true;
  try {
    const chunks = payload(machine.logs(request, { deadlineMs: logMs }));
    for await (const chunk of chunks) {
      isEmpty = false;
      yield chunk;
    }
  } catch (error) {
    const isNone = error instanceof RpcError && without.includes(error.code);
    if (!isEmpty || !isNone) throw error;
  }
}

function logItems(client: NodeClient): readonly NodeItem[] {
  const { machine } = client;
  return [
    {
      path: "dmesg.log",
      read: () => payload(machine.dmesg({}, { deadlineMs: logMs })),
    },
    ...["controller-runtime", "dns-resolve-cache"].map((id) => ({
      path: `${id}.log`,
      read: () => readLog(client, id),
    })),
  ];
}

async function serviceItems(client: NodeClient): Promise<readonly NodeItem[]> {
  const answer = await client.machine.serviceList({}, { deadlineMs: answerMs });
  return single(answer.messages).services.flatMap((service) => [
    {
      path: `service-logs/${pathName(service.id)}.log`,
      read: () => readLog(client, service.id),
    },
    {
      path: `service-logs/${pathName(service.id)}.state`,
      read: () => textContent(jsonText(service)),
    },
  ]);
}

/** Length of a container id that is unique among containers of its name. */
const shortId = 12;

async function containerItems(
  client: NodeClient,
): Promise<readonly NodeItem[]> {
  const options = { deadlineMs: answerMs };
  return (await readContainers(client, true, options))
    .filter(({ podId, status }) =>
      podId.startsWith("kube-system/") && status !== "SANDBOX_READY"
    )
    .map(({ id, name, internalId, pid }) => {
      const short = internalId.slice(0, shortId);
      const file = [pathName(name), ...short === "" ? [] : [pathName(short)]]
        .join("-");
      const end = pid === 0 ? "-exited" : "";
      return {
        path: `kubernetes-logs/kube-system/${file}${end}.log`,
        read: () => readLog(client, id, true),
      };
    });
}

async function* readResources(
  { state }: NodeClient,
  { type, defaultNamespace, sensitive }: ResourceType,
): AsyncGenerator<Uint8Array> {
  const answers = state.list(
    { namespace: defaultNamespace, type, options: {} },
    { deadlineMs: answerMs },
  );
  for await (const { resource } of answers) {
    const { namespace = "", id = "", version = "", owner = "", phase = "" } =
      resource?.metadata ?? {};
    const metadata = Object.entries({
      ...{ namespace, type, id, version, owner, phase },
    }).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}\n`).join("");
    const spec = sensitive
      ? "spec: <REDACTED>\n"
      : `spec:\n${indent(resource?.spec?.yamlSpec ?? "")}`;
    yield new TextEncoder().encode(`---\nmetadata:\n${metadata}${spec}`);
  }
}

function indent(yaml: string): string {
  return `${yaml.trimEnd()}\n`.replace(/^(?=.)/gm, "    ");
}
