import { domain } from "../../talos.ts";
import { OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { single } from "../call/reply.ts";
import { addressFamily } from "../../lib/ip.ts";

/** A member of the cluster. */
export interface Member {
  /** First address, by which endpoints reach it. */
  readonly address: string;
  /** All addresses, if listed by discovery. */
  readonly addresses?: readonly string[];
  readonly hostname: string;
  readonly controlPlane: boolean;
  /** Version of its operating system, such as `v1.13.4`; absent if not listed. */
  readonly version?: string;
  /** True if only the etcd member list has it, not discovery. */
  readonly fromEtcd?: true;
}

/**
 * Lists the members of the cluster known to the endpoint.
 *
 * Without discovery a node lists at most itself. Then control planes come from the etcd member list, and
 * workers are missing.
 *
 * @param deadlineMs Timeout for each request, in milliseconds; default none, and 5 s for etcd.
 * @returns Members listed by discovery, and control planes listed only by etcd.
 */
export async function knownMembers(
  client: NodeClient,
  deadlineMs?: number,
): Promise<Member[]> {
  const members = await clusterMembers(client, deadlineMs);
  if (members.length > 1) return members;
  try {
    const found = await etcdMembers(client, deadlineMs);
    const others = found.filter((one) => !isListed(one, members));
    // etcd sorts by random ids, discovery by name.
    return [...members, ...others]
      .toSorted((a, b) => a.hostname < b.hostname ? -1 : 1);
  } catch (error) {
    // A worker has no etcd, and a broken etcd does not mean that the node is broken.
    if (error instanceof OsctlError) return members;
    throw error;
  }
}

/**
 * Checks that no node of the cluster is missing.
 *
 * @param hint Hint for the user; default to enable discovery.
 * @returns The same members.
 * @throws {OsctlError} If workers may be missing because discovery does not work.
 */
export function allMembers(
  members: readonly Member[],
  hint = "Turn on cluster.discovery, and see: osctl get members",
): readonly Member[] {
  const isWhole = members.some(({ controlPlane }) => controlPlane) &&
    !members.some(({ fromEtcd }) => fromEtcd);
  if (isWhole) return members;
  throw new OsctlError(
    "The workers of the cluster are unknown: discovery is off or does not work",
    { hint },
  );
}

/** Timeout for etcd, which may have no leader, in milliseconds. */
const etcdMs = 5_000;

/** Lists control planes from the etcd member list. */
async function etcdMembers(
  { machine }: NodeClient,
  deadlineMs: number | undefined,
): Promise<readonly Member[]> {
  const { messages } = await machine.etcdMemberList(
    { queryLocal: true },
    { deadlineMs: deadlineMs ?? etcdMs },
  );
  return single(messages).members.flatMap((member) => {
    const [address] = etcdAddresses(member);
    if (address === undefined) return [];
    const hostname = member.hostname || address;
    return [{ address, hostname, controlPlane: true, fromEtcd: true }];
  });
}

/**
 * Returns the addresses of an etcd member.
 *
 * @param urls URLs of the member; one that never started has no client URLs.
 * @returns Unique addresses, without brackets and port.
 */
export function etcdAddresses(
  { clientUrls, peerUrls }: {
    readonly clientUrls: readonly string[];
    readonly peerUrls: readonly string[];
  },
): readonly string[] {
  const hosts = [...clientUrls, ...peerUrls]
    .map((url) => URL.parse(url)?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "");
  return [...new Set(hosts)].filter(Boolean);
}

/** Checks if a node is in a list, by address or by name with or without a domain. */
function isListed(
  { address, hostname }: Member,
  members: readonly Member[],
): boolean {
  return members.some((one) =>
    hasAddress(one, address) || one.hostname === hostname ||
    one.hostname.startsWith(`${hostname}.`)
  );
}

/**
 * Lists the members of the cluster from discovery.
 *
 * @param deadlineMs Timeout for the list, in milliseconds; default none.
 * @returns Members in the order of the endpoint; those without an address are omitted.
 */
export async function clusterMembers(
  client: NodeClient,
  deadlineMs?: number,
): Promise<Member[]> {
  // Loaded on demand: only selectors need it, and it slows down startup.
  const { parseSpec } = await import("./resource_yaml.ts");
  const members: Member[] = [];
  const answers = client.state.list({
    namespace: "cluster",
    type: `Members.cluster.${domain}`,
    options: {},
  }, deadlineMs === undefined ? {} : { deadlineMs });
  for await (const { resource } of answers) {
    const yaml = resource?.spec?.yamlSpec ?? "";
    const found = known.get(yaml) ?? readMember(parseSpec(yaml));
    if (known.size >= mostKnown) known.clear();
    known.set(yaml, found);
    members.push(...found);
  }
  return members;
}

/** Cache of parsed members by spec: a run lists the same members repeatedly. */
const known = new Map<string, readonly Member[]>();

/** Maximum number of cached specs, 1 to 2 MB. */
const mostKnown = 4_096;

function readMember(spec: unknown): readonly Member[] {
  if (typeof spec !== "object" || spec === null) return [];
  // Checked below.
  const { addresses, hostname, machineType, operatingSystem } = spec as Record<
    string,
    unknown
  >;
  const [, version] = /\((v\d\S*)\)$/.exec(String(operatingSystem)) ?? [];
  const [address, ...others] = Array.isArray(addresses)
    ? addresses.filter((one) => typeof one === "string")
    : [];
  if (address === undefined) return [];
  return [{
    address,
    ...others.length > 0 && { addresses: [address, ...others] },
    hostname: typeof hostname === "string" ? hostname : address,
    controlPlane: machineType === "controlplane" || machineType === "init",
    ...version !== undefined && { version },
  }];
}

function hasAddress(
  { address, addresses = [address] }: Member,
  text: string,
): boolean {
  return addresses.includes(text);
}

/** Removes duplicate nodes, given by another address or by host name. */
export function distinctNodes(
  names: readonly string[],
  members: readonly Member[],
): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => {
    const node = memberNamed(members, name)?.address ?? name;
    return !seen.has(node) && seen.add(node);
  });
}

/** Finds a member by address or host name; the domain can be omitted if the name is unique. */
export function memberNamed(
  members: readonly Member[],
  node: string,
): Member | undefined {
  const found = members.find((member) =>
    hasAddress(member, node) || member.hostname === node
  );
  if (found !== undefined || node === "") return found;
  const [first, ...others] = members.filter(({ hostname }) =>
    hostname.startsWith(`${node}.`) && addressFamily(hostname) === undefined
  );
  return others.length === 0 ? first : undefined;
}

/**
 * Resolves node names to addresses.
 *
 * Endpoints forward only to names known to their resolver, which rarely include other members. A resolved
 * address is cached, so that a renamed machine remains the same.
 *
 * @param list Lists the members; called for unknown names.
 * @returns Function that returns the address of a node, or the name itself if no member has it.
 */
export function memberAddresses(
  list: () => Promise<readonly Member[]>,
): (node: string) => Promise<string> {
  const addresses = new Map<string, string>();
  let listing: Promise<readonly Member[]> | undefined;

  async function members(): Promise<readonly Member[]> {
    try {
      return await (listing ??= list());
    } catch (error) {
      // The endpoint may know the name, and reports an error if not.
      if (error instanceof RpcError) return [];
      throw error;
    } finally {
      listing = undefined;
    }
  }

  return async (node) => {
    if (addressFamily(node) !== undefined) return node;
    const known = addresses.get(node);
    if (known !== undefined) return known;
    const member = memberNamed(await members(), node);
    if (member === undefined) return node;
    addresses.set(node, member.address);
    return member.address;
  };
}
