/** CNI networks: plugins attach each machine in its own network namespace (CNI specification 0.4.0). */

import { createHash } from "node:crypto";
import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { exists } from "../../lib/files/exists.ts";
import { OsctlError } from "../../errors.ts";
import { readJson } from "../state.ts";
import type {
  Attachment,
  BridgeNetwork,
  CniMachine,
  CniSettings,
} from "./bridge_network.ts";
import { run, tryRun } from "./run.ts";

/** Plugins of the chain, and the IPAM plugin. */
const neededPlugins = [
  "bridge",
  "firewall",
  "static",
  "tc-redirect-tap",
] as const;

/** Name of the first interface in a namespace. */
const interfaceName = "veth0";

const cniVersion = "0.4.0";

/** Configuration of a plugin; other fields are plugin-specific. */
interface PluginConfiguration extends Readonly<Record<string, unknown>> {
  readonly type: string;
}

interface CniResult {
  readonly interfaces?: readonly {
    readonly name: string;
    readonly mac?: string;
    readonly sandbox?: string;
  }[];
}

/** Cached result of an attachment, in the format of `libcni`. */
interface CachedResult {
  readonly kind: "cniCacheV1";
  readonly containerId: string;
  readonly ifName: string;
  readonly networkName: string;
  readonly result: CniResult;
}

interface CniConfiguration {
  readonly cniVersion: string;
  readonly name: string;
  /** Plugins in order of execution. */
  readonly plugins: readonly PluginConfiguration[];
}

/** Builds the CNI configuration of a cluster network. Source: talosctl's list of plugins. */
export function cniConfiguration(
  { name }: CniSettings,
  { bridge, mtu, isAirgapped }: BridgeNetwork,
): CniConfiguration {
  const plugins: readonly PluginConfiguration[] = [
    {
      type: "bridge",
      bridge,
      ipMasq: !isAirgapped,
      isGateway: true,
      isDefaultGateway: true,
      ipam: { type: "static" },
      mtu,
    },
    { type: "firewall" },
    { type: "tc-redirect-tap" },
  ];
  return { cniVersion, name, plugins };
}

/** Returns the names of plugins that are in none of the folders. */
export async function missingPlugins(
  binPaths: readonly string[],
): Promise<string[]> {
  const missing: string[] = [];
  for (const name of neededPlugins) {
    if (await folderWith(binPaths, name) === undefined) missing.push(name);
  }
  return missing;
}

/**
 * Attaches every machine to the bridge, in a namespace named after its planned interface.
 *
 * @throws {OsctlError} If a plugin fails, or creates no interface for a machine.
 */
export async function attachMachines(
  network: BridgeNetwork,
  settings: CniSettings,
  signal: AbortSignal,
): Promise<Attachment[]> {
  const { machines = [], taps } = network;
  const configuration = cniConfiguration(settings, network);
  for (const folder of [settings.cacheDir, settings.confDir]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  await writeFileAtomic(
    configurationPath(settings),
    `${JSON.stringify(configuration, undefined, 2)}\n`,
  );
  const attachments: Attachment[] = [];
  // Sequential: plugins change the same chains.
  for (const [at, namespace] of taps.entries()) {
    const machine = machines[at];
    if (machine === undefined) continue;
    await run(["ip", "netns", "add", namespace], { signal });
    const args = formatArguments(network, machine);
    let result: CniResult = {};
    for (const plugin of configuration.plugins) {
      const input = {
        cniVersion,
        name: settings.name,
        ...plugin,
        prevResult: result,
      };
      const said = await plug(settings, plugin.type, {
        command: "ADD",
        namespace,
        args,
        input,
        signal,
      });
      result = JSON.parse(said);
    }
    await writeCached(settings, namespace, result);
    await passUnchanged(network, settings, namespace);
    attachments.push(attachmentIn(result, namespace));
  }
  return attachments;
}

/** Detaches all machines, also partially attached ones, and removes their namespaces. */
export async function detachMachines(
  network: BridgeNetwork,
  settings: CniSettings,
): Promise<void> {
  const { plugins } = cniConfiguration(settings, network);
  for (const [at, namespace] of network.taps.entries()) {
    const cached = await readJson<CachedResult>(cachePath(settings, namespace))
      .catch(() => undefined);
    const machine = network.machines?.[at];
    if (machine !== undefined) {
      const args = formatArguments(network, machine);
      for (const plugin of plugins.toReversed()) {
        const input = {
          cniVersion,
          name: settings.name,
          ...plugin,
          ...cached === undefined ? {} : { prevResult: cached.result },
        };
        const how = { command: "DEL", namespace, args, input } as const;
        // Anything left by a plugin is removed with the namespace.
        await plug(settings, plugin.type, how).catch(unlessOurs);
      }
    }
    await tryRun(["ip", "netns", "delete", namespace]);
    await removeFile(cachePath(settings, namespace));
  }
  await removeFile(configurationPath(settings));
  for (const program of ["iptables", "ip6tables"]) {
    await removeSharedChains(program);
  }
}

/** Removes the shared chains of the `firewall` plugin, which it recreates when needed. */
async function removeSharedChains(program: string): Promise<void> {
  const filter = (line: string) => [program, "-w", ...line.split(" ")];
  const rules = (await run(filter("-S")).catch(() => "")).split("\n");
  const own = rules.filter((rule) => /^-A CNI-(FORWARD|ADMIN) /.test(rule));
  const isUsed = own.some((rule) => !rule.endsWith(" -j CNI-ADMIN"));
  if (isUsed || !rules.includes("-N CNI-FORWARD")) return;
  const comment = "CNI firewall plugin rules";
  await tryRun([
    ...filter("-D FORWARD -m comment --comment"),
    ...[comment, "-j", "CNI-FORWARD"],
  ]);
  for (const chain of ["CNI-FORWARD", "CNI-ADMIN"]) {
    await tryRun(filter(`-F ${chain}`));
    await tryRun(filter(`-X ${chain}`));
  }
}

interface PluginCall {
  readonly command: "ADD" | "DEL";
  readonly namespace: string;
  readonly args: string;
  readonly input: unknown;
  readonly signal?: AbortSignal;
}

/** Runs a plugin. Throws OsctlError with its error message. */
async function plug(
  { binPaths }: CniSettings,
  plugin: string,
  { command, namespace, args, input, signal }: PluginCall,
): Promise<string> {
  const folder = await folderWith(binPaths, plugin);
  if (folder === undefined) {
    throw new OsctlError(`There is no CNI plugin "${plugin}" in ${binPaths}`);
  }
  return await run([`${folder}/${plugin}`], {
    input: JSON.stringify(input),
    env: {
      CNI_COMMAND: command,
      CNI_CONTAINERID: namespace,
      CNI_NETNS: formatPath(namespace),
      CNI_IFNAME: interfaceName,
      CNI_ARGS: args,
      CNI_PATH: binPaths.join(":"),
    },
    signal,
  });
}

/** Formats the addresses for the `static` plugin, and the MAC address for DHCP. */
function formatArguments(
  { subnets }: BridgeNetwork,
  { mac, ips }: CniMachine,
): string {
  const addresses = ips.map((ip, at) => `${ip}/${subnets[at]?.prefix}`);
  const gateways = subnets.map(({ gateway }) => gateway);
  return [
    "IgnoreUnknown=1",
    `IP=${addresses.join(",")}`,
    `GATEWAY=${gateways.join(",")}`,
    `MAC=${mac}`,
  ].join(";");
}

/** Finds the attachment in a result: the interface in the container's sandbox, and its counterpart in the namespace. */
function attachmentIn(
  { interfaces = [] }: CniResult,
  namespace: string,
): Attachment {
  const machine = interfaces.find(({ sandbox }) => sandbox === namespace);
  const tap = interfaces.find(({ name, sandbox }) =>
    name === machine?.name && sandbox !== namespace
  );
  if (machine === undefined || tap === undefined) {
    throw new OsctlError(
      "CNI plugins left no interface for a VM",
      { hint: "Use a plugin such as tc-redirect-tap" },
    );
  }
  return { namespace, tap: tap.name, mac: machine.mac ?? "" };
}

/**
 * Excludes broadcasts and destinations given by the user from masquerading. The chain is removed with the attachment.
 */
async function passUnchanged(
  { subnets, noMasquerade, isAirgapped }: BridgeNetwork,
  { name }: CniSettings,
  namespace: string,
): Promise<void> {
  if (isAirgapped) return;
  const chain = chainName(name, namespace);
  const hasIpv4 = subnets.some(({ gateway }) => !gateway.includes(":"));
  const broadcast = hasIpv4 ? ["255.255.255.255/32"] : [];
  for (const destination of [...broadcast, ...noMasquerade]) {
    const program = destination.includes(":") ? "ip6tables" : "iptables";
    await run([
      ...[program, "-w", "-t", "nat", "-I", chain, "1"],
      ...["--destination", destination, "-j", "ACCEPT"],
    ]);
  }
}

/** Returns the name of the masquerading chain of the `bridge` plugin. */
export function chainName(network: string, container: string): string {
  const hash = createHash("sha512").update(network + container).digest("hex");
  return `CNI-${hash.slice(0, 24)}`;
}

async function writeCached(
  settings: CniSettings,
  containerId: string,
  result: CniResult,
): Promise<void> {
  const path = cachePath(settings, containerId);
  await Deno.mkdir(`${settings.cacheDir}/results`, { recursive: true });
  const cached: CachedResult = {
    kind: "cniCacheV1",
    containerId,
    ifName: interfaceName,
    networkName: settings.name,
    result,
  };
  await writeFileAtomic(path, JSON.stringify(cached));
}

function cachePath({ cacheDir, name }: CniSettings, container: string): string {
  return `${cacheDir}/results/${name}-${container}-${interfaceName}`;
}

function configurationPath({ confDir, name }: CniSettings): string {
  return `${confDir}/${name}.conflist`;
}

function formatPath(namespace: string): string {
  return `/var/run/netns/${namespace}`;
}

async function folderWith(
  binPaths: readonly string[],
  plugin: string,
): Promise<string | undefined> {
  for (const folder of binPaths) {
    if (await exists(`${folder}/${plugin}`)) return folder;
  }
  return undefined;
}

function unlessOurs(error: unknown): void {
  if (!(error instanceof OsctlError)) throw error;
}

async function removeFile(path: string): Promise<void> {
  await Deno.remove(path).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
