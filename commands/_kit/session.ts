/** Opens the selected nodes from the client configuration and global flags. */

import { clientIdentity } from "../../config/osconfig/client_identity.ts";
import { processMasker } from "../../lib/masker.ts";
import type { NamedContext } from "../../config/osconfig/select_context.ts";
import { ConfigError, type ConnectCause, UsageError } from "../../errors.ts";
import { diagnoseClientIdentity } from "../../pki/diagnose.ts";
import { parseFingerprint } from "../../pki/fingerprint.ts";
import { decodePrivateKey, encodePkcs8 } from "../../pki/private_key.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import {
  type NodesOptions,
  openNodes,
} from "../../transport/node/open_nodes.ts";
import type { Identity } from "../../transport/connect/trust.ts";
import type { SessionRequest } from "./main.ts";
import {
  chosenContext,
  contextProxy,
  findOsconfig,
} from "../_session/osconfig.ts";

/** Options for the nodes of a context. */
interface ContextOptions extends NodesOptions {
  readonly context: string;
  /** Path of its client configuration; absent if that is read-only. */
  readonly osconfig?: string | undefined;
}

/**
 * Opens the nodes selected on the command line; sends nothing. Throws `ConfigError` if the configuration is missing or
 * invalid, or the certificate is unusable.
 */
export async function openSession(request: SessionRequest): Promise<Nodes> {
  const { globals, insecure, fingerprints, environment, note } = request;
  if (insecure) {
    return openNodes({
      nodeTimeoutMs: globals.nodeTimeout,
      env: environment.env,
      proxyUrl: await contextProxy(request),
      signal: request.signal,
      note,
      endpoints: [],
      nodes: globals.nodes,
      labels: globals.selector,
      identity: {},
      maintenance: { fingerprints: fingerprints.map(parseFingerprint) },
    });
  }
  return openNodes(await contextOptions(request));
}

/**
 * Options for the nodes of the current context; sends nothing. Throws `ConfigError` if the configuration is missing or
 * invalid, or the certificate is unusable.
 */
export async function contextOptions(
  request: Omit<SessionRequest, "insecure" | "fingerprints">,
): Promise<ContextOptions> {
  const { globals, environment, note, alsoAt = [] } = request;
  // Reading the signal starts interrupt handling; before that, an interrupt
  // terminates a wait for a pipe.
  const context = await chosenContext(request);
  const { endpoints, nodes, cluster, auth } = context;
  if (auth?.basic !== undefined) processMasker.add(auth.basic.password);
  const proxy = auth?.proxy?.identity;
  if (proxy === undefined && globals.osv1KeysDir !== undefined) {
    throw new UsageError(
      `Flag --osv1-keys-dir cannot be used with context "${context.name}", which does not sign requests`,
      { hint: "Omit the flag, or choose another context with --context" },
    );
  }
  const { path, writable } = await findOsconfig(request);
  return {
    context: context.name,
    osconfig: writable ? path : undefined,
    nodeTimeoutMs: globals.nodeTimeout,
    env: environment.env,
    proxyUrl: context.proxyUrl,
    signal: request.signal,
    note,
    endpoints: [
      ...globals.endpoints.length > 0 ? globals.endpoints : endpoints,
      ...alsoAt,
    ],
    nodes: globals.nodes.length > 0
      ? globals.nodes
      : globals.selector === undefined
      ? nodes
      : ["@all"],
    labels: globals.selector,
    identity: await checkedIdentity(context, request),
    cluster: globals.cluster ?? cluster,
    basicAuth: auth?.basic,
    // Loaded on demand: few contexts sign, and the library is large.
    sign: proxy === undefined
      ? undefined
      : await (await import("./signing.ts")).openSigner(
        context,
        proxy,
        request,
      ),
  };
}

/** Reports certificate problems that a node would only answer with a rejection. */
async function checkedIdentity(
  context: NamedContext,
  { globals, environment, note }: Pick<
    SessionRequest,
    "globals" | "environment" | "note"
  >,
): Promise<Identity> {
  const { ca, pair } = clientIdentity(context);
  // A proxy endpoint may use other authentication.
  if (pair === undefined) return { ca };
  const findings = await diagnoseClientIdentity({
    ca,
    ...pair,
    now: environment.now(),
  });
  for (const { cause, severity, message, hint } of findings) {
    if (severity === "error") {
      throw new ConfigError(
        `Cannot use context "${context.name}": ${message}`,
        { hint },
      );
    }
    if (globals.noExpiryWarning && expiries.includes(cause)) continue;
    note(`warning: Context "${context.name}": ${message}`);
  }
  // The runtime only reads keys with its own PEM label, and nodes label keys by
  // algorithm.
  return { ca, crt: pair.crt, key: encodePkcs8(decodePrivateKey(pair.key)) };
}

/** Causes that are warned of before they occur. */
const expiries: readonly ConnectCause[] = ["client-expired", "ca-expired"];
