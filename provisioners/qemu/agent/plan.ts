/** Plan of the agent: a SideroLink service on the bridge to which nodes open a tunnel. */

import { createHash, generateKeyPairSync } from "node:crypto";
import * as zlib from "node:zlib";
import { stringify } from "yaml";
import { tunnelLabel } from "../../../talos.ts";
import { createCa } from "../../../pki/ca.ts";
import { encodePem, pemLabel } from "../../../pki/pem.ts";
import { encodePkcs8 } from "../../../pki/private_key.ts";
import { freePorts } from "../../free_ports.ts";
import type { ClusterPlan, Document } from "../plan.ts";
import { hostPort } from "../../../lib/ip.ts";

/** Connection of nodes to the agent. */
export interface WantedAgent {
  /** True for WireGuard over gRPC. */
  readonly isTunnel: boolean;
  /** True to serve its API with TLS. */
  readonly hasTls: boolean;
}

interface WireguardKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** Plan of an agent. */
export interface AgentPlan extends WireguardKeys {
  /** True for WireGuard over gRPC. */
  readonly isTunnel: boolean;
  readonly interface: string;
  readonly host: string;
  /** First 64 bits of the tunnel addresses, such as `fd12:3456:789a:bc03`. */
  readonly prefix: string;
  readonly address: string;
  /** Tunnel addresses of nodes by UUID. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Ports: of its API and WireGuard on the bridge, of events and logs in the tunnel. */
  readonly ports: Readonly<
    Record<"wireguard" | "api" | "events" | "logs", number>
  >;
  /** Certificate and key of its API, PEM; omitted without TLS. */
  readonly certificate?: { readonly crt: string; readonly key: string };
}

// Missing in Deno's type declarations.
const { zstdCompressSync } = zlib as unknown as {
  readonly zstdCompressSync: (text: string) => Uint8Array;
};

/** Join token of nodes. */
export const joinToken = "foo";

/** Plans the agent of a cluster. */
export async function planAgent(
  { bridge, subnets, machines }: ClusterPlan,
  { isTunnel, hasTls }: WantedAgent,
  now: Date,
): Promise<AgentPlan> {
  const host = subnets[0]?.gateway ?? "";
  const prefix = formatPrefix(bridge);
  const [wireguard = 0, api = 0, events = 0, logs = 0] = freePorts(4);
  return {
    isTunnel,
    interface: bridge.replace(/^osbr/, "oswg"),
    host,
    prefix,
    address: `${prefix}::1`,
    nodes: Object.fromEntries(
      machines.map(({ uuid }) => [uuid, `${prefix}:${randomEnd()}`]),
    ),
    ports: { wireguard, api, events, logs },
    ...wireguardKeys(),
    ...hasTls ? { certificate: await certificateFor(host, now) } : {},
  };
}

/** Configuration document that opens a tunnel to a service. `url`: with the join token. */
export function managerDocument(url: string): Document {
  return document("SideroLinkConfig", { apiUrl: url });
}

function document(kind: string, fields: Document): Document {
  return { apiVersion: "v1alpha1", kind, ...fields };
}

/** Configuration documents that connect a node to the agent. */
export function agentDocuments(
  { isTunnel, host, address, ports, certificate }: AgentPlan,
): Document[] {
  const scheme = certificate === undefined ? "grpc" : "https";
  const tunnel = isTunnel ? "&grpc_tunnel=true" : "";
  const api = hostPort(host, ports.api);
  return [
    managerDocument(`${scheme}://${api}?jointoken=${joinToken}${tunnel}`),
    document("EventSinkConfig", {
      endpoint: hostPort(address, ports.events),
    }),
    document("KmsgLogConfig", {
      name: tunnelLabel,
      url: `tcp://${hostPort(address, ports.logs)}`,
    }),
    ...certificate === undefined ? [] : [
      document("TrustedRootsConfig", {
        name: `${tunnelLabel}-ca`,
        certificates: certificate.crt,
      }),
    ],
  ];
}

/** Kernel argument with these documents, for nodes without a configuration. */
export function agentKernelArgument(plan: AgentPlan): string {
  const text = agentDocuments(plan).map((one) => stringify(one)).join("---\n");
  return `talos.config.early=${
    new Uint8Array(zstdCompressSync(text)).toBase64()
  }`;
}

/** Generates keys in the format of `wg genkey`: 32 bytes in base64. */
export function wireguardKeys(): WireguardKeys {
  const { privateKey, publicKey } = generateKeyPairSync("x25519");
  // Both encodings end with the 32 bytes of the key (RFC 8410).
  const end = (der: Uint8Array) => new Uint8Array(der).slice(-32).toBase64();
  return {
    privateKey: end(privateKey.export({ type: "pkcs8", format: "der" })),
    publicKey: end(publicKey.export({ type: "spki", format: "der" })),
  };
}

/** Nodes identify tunnel addresses by the eighth byte. Each cluster has its own prefix (RFC 4193). */
function formatPrefix(bridge: string): string {
  const hash = createHash("sha256").update(bridge).digest();
  const bytes = [0xfd, ...hash.subarray(0, 6), 0x03];
  return groups(bytes);
}

function randomEnd(): string {
  return groups([...crypto.getRandomValues(new Uint8Array(8))]);
}

/** Formats bytes as groups of an IPv6 address. */
function groups(bytes: readonly number[]): string {
  return Array.from(
    { length: bytes.length / 2 },
    (_, at) =>
      ((bytes[at * 2] ?? 0) * 256 + (bytes[at * 2 + 1] ?? 0)).toString(16),
  ).join(":");
}

async function certificateFor(host: string, now: Date) {
  const { certificate, key } = await createCa({
    organizations: [],
    algorithm: "ECDSA",
    now,
    notAfter: new Date(now.getTime() + 10 * 365 * 24 * 3_600_000),
    subjectAltNames: { ips: [host] },
  });
  return {
    crt: encodePem(pemLabel.certificate, certificate),
    key: encodePkcs8(key),
  };
}
