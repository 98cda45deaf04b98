/** API servers on the network: HTTPS with certificates of the cluster's Kubernetes CA. */

import { concatBytes } from "../../lib/bytes.ts";
import { addressFamily } from "../../lib/ip.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { createCa } from "../../pki/ca.ts";
import { encodePkcs8 } from "../../pki/private_key.ts";
import type { Clock } from "../clock/clock.ts";
import { configuredSans, issueKeyPair, yearFrom } from "../state/identities.ts";
import { formatEndpoint, type NodeAddresses } from "../state/node_address.ts";
import type { SimulatedCluster, SimulatedNode } from "../state/node.ts";
import { encodeCertificates } from "../state/trust.ts";
import type { ListenAddress, ListeningSocket } from "../wire/listen.ts";
import { createKubernetesApi, type KubernetesApi } from "./api.ts";
import { ApiError, apiError, badRequest } from "./api_error.ts";
import { hasApiServer } from "./availability.ts";
import { openApi2Protobuf } from "./discovery.ts";
import {
  type ApiAnswer,
  type KubeObject,
  readFields,
  readList,
} from "../state/kubernetes_objects.ts";
import { parseProtobuf } from "./protobuf_body.ts";
import { lastLines } from "./routes.ts";
import { toTable, wantsTable } from "./table.ts";

/** Port of API servers on nodes with their own address. */
export const apiServerPort = 6443;

/**
 * Makes the API server of a control plane.
 *
 * @param listener Listen address; port 0 for a free one.
 * @throws {Error} If the address is in use or not of this machine.
 */
async function listenApi(
  node: SimulatedNode,
  api: KubernetesApi,
  listener: ListenAddress,
): Promise<ListeningSocket> {
  const server = createServer({
    ...await serverFiles(node, listener.host),
    requestCert: true,
    // Clients without a trusted certificate get an HTTP error.
    rejectUnauthorized: false,
  }, (request, response) => void respond(node, api, request, response));
  server.on("tlsClientError", () => {}); // TLS itself reports it to the client
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(listener.port, listener.host, resolve);
  await promise;
  node.kubernetes.renew = () =>
    node.work((async () => {
      server.setSecureContext(await serverFiles(node, listener.host));
    })());
  const bound = server.address();
  return {
    port: typeof bound === "object" ? bound?.port ?? 0 : 0,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  node: SimulatedNode,
  api: KubernetesApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // All sockets of an https server are TLS sockets.
  const socket = request.socket as TLSSocket;
  if (node.faults.has("blackhole")) return;
  if (!hasApiServer(node)) return void socket.destroy();
  const answer = await answerTo(request, api, socket.authorized);
  if (answer === undefined) return;
  const { accept } = request.headers;
  const { code } = answer;
  const body = wantsTable(accept)
    ? toTable(answer.body, node.clock.now())
    : answer.body;
  if (code === 200 && isWatch(request)) {
    return await sendChanges(node, api, request, response);
  }
  if (code === 200 && followsLog(request)) {
    return await sendLog(node, api, request, response);
  }
  const { accepted, type, bytes } = openApi2Protobuf;
  if (code === 200 && accept !== undefined && accepted.includes(accept)) {
    response.writeHead(code, { "content-type": type });
    return void response.end(bytes);
  }
  const isText = typeof body === "string";
  response.writeHead(code, {
    "content-type": isText ? "text/plain" : "application/json",
  });
  response.end(isText ? body : JSON.stringify(body));
}

function isWatch({ method, url = "" }: IncomingMessage): boolean {
  return method === "GET" && /[?&]watch=(true|1)\b/.test(url);
}

/** Sends changes, one per line, until the client disconnects or the watch times out. */
async function sendChanges(
  node: SimulatedNode,
  api: KubernetesApi,
  { url: path = "/", headers: { accept } }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { searchParams } = new URL(path, "https://kubernetes");
  const bookmark = searchParams.get("sendInitialEvents") === "true";
  const timeout = Number(searchParams.get("timeoutSeconds") ?? 0) * 1000;
  const end = timeout > 0 ? node.clock.now() + timeout : Infinity;
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  const changes = watchObjects({
    list: () => api.request({ method: "GET", path }),
    // Without a known version, all objects are sent.
    since: bookmark ? "" : searchParams.get("resourceVersion") ?? "",
    bookmark,
    signal: gone.signal,
    async sleep(ms) {
      const isOver = node.clock.now() >= end || !hasApiServer(node);
      if (isOver) gone.abort();
      else await node.clock.sleep(ms, gone.signal);
    },
  });
  for await (const { type, object } of changes) {
    const shown = wantsTable(accept) && type !== "BOOKMARK"
      ? toTable(object, node.clock.now())
      : object;
    response.write(`${JSON.stringify({ type, object: shown })}\n`);
  }
  response.end();
}

function followsLog({ method, url = "" }: IncomingMessage): boolean {
  return method === "GET" && /\/log\?.*\bfollow=(true|1)\b/.test(url);
}

/** Sends a log and follows it until its container exits or the client disconnects. A failing server truncates it. */
async function sendLog(
  node: SimulatedNode,
  api: KubernetesApi,
  { url = "" }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { pathname, searchParams } = new URL(url, "https://kubernetes");
  const count = searchParams.get("tailLines");
  searchParams.delete("tailLines");
  const log = `${pathname}?${searchParams}`;
  const pod = pathname.replace(/\/log$/, "");
  response.writeHead(200, { "content-type": "text/plain" });
  response.flushHeaders();
  let first: string | undefined;
  let sent: string | undefined;
  while (!gone.signal.aborted) {
    if (!hasApiServer(node)) return void response.destroy();
    const running = runningIn(
      api.request({ method: "GET", path: pod }).body,
      searchParams.get("container"),
    );
    const { code, body } = api.request({ method: "GET", path: log });
    first ??= running;
    // A replacement of the pod has its own log.
    if (code !== 200 || (running ?? first) !== first) break;
    const text = String(body);
    const added = sent === undefined
      ? lastLines(text, count)
      : text.slice(sent.length);
    // Deno's server sends nothing more after an empty chunk.
    if (added !== "") response.write(added);
    if (running === undefined) break;
    sent = text;
    await node.clock.sleep(lookMs, gone.signal);
  }
  response.end();
}

/** UID of a pod whose container is running; otherwise `undefined`. `wanted`: container name; `null` for the first one. */
function runningIn(pod: unknown, wanted: string | null): string | undefined {
  const { metadata, status } = readFields(pod);
  const { state } = readList(readFields(status).containerStatuses)
    .find(({ name }) => wanted === null || name === wanted) ?? {};
  const isRunning = readFields(state).running !== undefined;
  return isRunning ? String(readFields(metadata).uid) : undefined;
}

/** Returns the response; `undefined` if the client disconnected before the request was complete. */
async function answerTo(
  request: IncomingMessage,
  api: KubernetesApi,
  isKnown: boolean,
): Promise<ApiAnswer | undefined> {
  const { method = "GET", url: path = "/" } = request;
  try {
    if (!isKnown) throw apiError("unauthorized");
    const { "content-type": contentType = "" } = request.headers;
    const body = await readBody(request, contentType);
    return api.request({ method, path, body, contentType });
  } catch (error) {
    if (error instanceof ApiError) {
      return { code: error.code, body: error.body };
    }
    if ((error as NodeJS.ErrnoException).code === "ECONNRESET") return;
    throw error;
  }
}

async function readBody(request: IncomingMessage, contentType: string) {
  const body = concatBytes(await Array.fromAsync(request));
  if (body.length === 0) return undefined;
  if (/cbor/.test(contentType)) throw apiError("unsupportedMedia");
  if (/protobuf/.test(contentType)) return parseProtobuf(body);
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}

async function serverFiles(
  node: SimulatedNode,
  host: string,
) {
  const { identity, clock, cluster, kubernetes: { trust } } = node;
  // Without the key of a CA, no server can be trusted.
  const ca = trust.issuer ?? await createCa({ organizations: [] });
  const addresses = cluster.nodes.flatMap(({ identity: { address } }) =>
    addressFamily(address) !== undefined ? [address] : []
  );
  const sans = configuredSans(node, "cluster", "apiServer", "certSANs");
  const { certificate: cert, key } = await issueKeyPair({
    ca,
    algorithm: "ECDSA",
    encodeKey: encodePkcs8,
    subject: { organizations: ["kube-master"], commonName: "kube-apiserver" },
    extendedKeyUsage: ["serverAuth"],
    subjectAltNames: {
      dns: ["kubernetes", "kubernetes.default", "localhost", identity.hostname],
      ips: [...new Set([host, ...addresses, ...sans].filter(addressFamily))],
    },
    ...yearFrom(clock.now()),
  });
  return { ca: encodeCertificates(trust.accepted), cert, key };
}

/** Kubernetes of a running cluster. */
export interface ClusterKubernetes extends Pick<KubernetesApi, "request"> {
  readonly stop: () => Promise<void>;
}

/**
 * Starts the API servers of a running cluster, and sets their URLs in the cluster.
 *
 * Control planes with their own address use the default port and share
 * the cluster's endpoint; others have their own port.
 *
 * @throws {Error} If one cannot listen at its address.
 */
export async function startKubernetes(
  facts: SimulatedCluster,
  { addresses, clock }: {
    readonly addresses: NodeAddresses;
    readonly clock: Clock;
  },
): Promise<ClusterKubernetes> {
  const api = createKubernetesApi(facts, clock);
  facts.kubernetesApi = api;
  const servers: ListeningSocket[] = [];
  const urls = new Map<string, string>();
  const stop = async () => {
    await Promise.all(servers.map(({ close }) => close()));
  };
  api.reconcile();
  try {
    for (const [index, node] of facts.nodes.entries()) {
      const place = addresses(index);
      const { address, machineType } = node.origin;
      if (place === undefined || machineType === "worker") continue;
      const { host } = place;
      const isOwn = host === address && place.port !== 0;
      const port = isOwn ? apiServerPort : 0;
      // Sequential, as there are only a few.
      const server = await listenApi(node, api, { host, port });
      servers.push(server);
      const first = isOwn ? facts.nodes[0]?.origin.address ?? host : host;
      urls.set(
        address,
        `https://${formatEndpoint({ host: first, port: server.port })}`,
      );
    }
  } catch (error) {
    await stop();
    throw error;
  }
  // Control planes that join later use the endpoint of the first.
  const shared = urls.get(facts.nodes[0]?.origin.address ?? "");
  const isControlPlane = (address: string) =>
    facts.nodes.some(({ origin }) =>
      origin.address === address && origin.machineType === "controlplane"
    );
  facts.kubernetesUrl = (address) =>
    urls.get(address) ?? (isControlPlane(address) ? shared : undefined);
  return { request: api.request, stop };
}

/** Polling interval, in milliseconds. */
const lookMs = 100;

interface WatchOptions {
  readonly list: () => ApiAnswer;
  /** Resource version known to the client; empty to send all objects. */
  readonly since: string;
  /** True to send a bookmark after the initial objects. */
  readonly bookmark: boolean;
  /** Sleeps for a number of milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborts when the client disconnects or its timeout expires. */
  readonly signal: AbortSignal;
}

interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  /** The object; its last state if deleted. */
  readonly object: unknown;
}

/** Yields every change until it is aborted or the server fails. */
async function* watchObjects(
  { list, since, bookmark, sleep, signal }: WatchOptions,
): AsyncGenerator<WatchEvent> {
  let seen = Number(since || 0);
  let known = new Map<string, KubeObject>();
  let isFirst = true;
  while (!signal.aborted) {
    const { code, body } = list();
    if (code !== 200) return;
    const { apiVersion, kind, items, metadata } = readFields(body);
    // Elements of a list are objects.
    const objects = readList(items) as unknown as readonly KubeObject[];
    const now = new Map(objects.map((one) => [one.metadata.uid, one]));
    for (const [uid, object] of now) {
      if (Number(object.metadata.resourceVersion) <= seen) continue;
      const isNew = isFirst ? since === "" : !known.has(uid);
      yield { type: isNew ? "ADDED" : "MODIFIED", object };
    }
    for (const [uid, object] of known) {
      if (!now.has(uid)) yield { type: "DELETED", object };
    }
    if (bookmark && isFirst) {
      const object = {
        apiVersion,
        kind: String(kind).replace(/List$/, ""),
        metadata: {
          ...readFields(metadata),
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      };
      yield { type: "BOOKMARK", object };
    }
    seen = Number(readFields(metadata).resourceVersion ?? seen);
    known = now;
    isFirst = false;
    await sleep(lookMs);
  }
}
