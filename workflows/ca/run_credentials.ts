/** Credentials of a run while the CA of its nodes is rotated, newest first. */

import { ConfigError, type ConnectCause, ConnectError } from "../../errors.ts";
import { decodePrivateKey, encodePkcs8 } from "../../pki/private_key.ts";
import type {
  CallOptions,
  Method,
  Transport,
} from "../../transport/call/call.ts";
import { type NodeClient, nodeClient } from "../../transport/call/client.ts";
import { addressFamily } from "../../lib/ip.ts";
import type { Identity } from "../../transport/connect/trust.ts";
import type { Credential, CredentialRing, RingHome } from "./run_resources.ts";
import type { Vault } from "../vault/secrets.ts";

/** Options of {@linkcode createRunCredentials}. */
export interface RunCredentialsOptions {
  /** The context the run was started with. */
  readonly home: RingHome;
  readonly identity: Identity;
  /** Creates a transport; lazy: it dials at its first call. */
  readonly connect: (
    endpoints: readonly string[],
    identity: Identity,
  ) => Transport;
  /** Vault with the keys of the other entries. */
  readonly vault: Pick<Vault, "read">;
  /** Address of a node itself; default its name. */
  readonly findEndpoint?: (node: string) => Promise<string>;
  readonly signal: AbortSignal;
  /** Default timeout of unary calls, in milliseconds; default 30 s. */
  readonly unaryMs?: number;
}

/** A ring with the transport of a run. */
export interface RunCredentials extends CredentialRing {
  /** Sends calls through the endpoints with the first accepted entry, newest first. */
  readonly transport: Transport;
}

/** Name of the entry of the context. */
export const homeEntry = "context";

/** A set of certificates, and the connections made with it. */
interface CredentialEntry {
  readonly name: string;
  readonly identity: () => Promise<Identity>;
  transport?: Promise<Transport>;
}

/**
 * Creates a ring with the context as its only entry.
 *
 * Entries differ in the certificate they present and the CAs they trust. A rejected connection has sent nothing, so
 * the next entry can send the same call.
 *
 * @param options The context, and how connections are made.
 */
export function createRunCredentials(
  options: RunCredentialsOptions,
): RunCredentials {
  const { home, connect, vault, signal, unaryMs = 30_000 } = options;
  const findEndpoint = options.findEndpoint ??
    ((node) => Promise.resolve(node));
  const own: CredentialEntry = {
    name: homeEntry,
    identity: () => Promise.resolve(readable(options.identity)),
  };
  let entries: readonly CredentialEntry[] = [own];

  function add(credential: Credential): void {
    const { name } = credential;
    const rest = entries.filter((one) => one.name !== name);
    entries.filter((one) => one.name === name).forEach(close);
    entries = [
      { name, identity: () => parseIdentity(credential, vault) },
      ...rest,
    ];
  }

  async function* stream<Request, Response>(
    ...call: CallWords<Request, Response>
  ): AsyncGenerator<Response> {
    let refusal: unknown;
    for (const entry of entries) {
      try {
        return yield* (await openTransport(entry)).stream(...call);
      } catch (error) {
        if (!isTurnedAway(error)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  async function unary<Request, Response>(
    ...call: CallWords<Request, Response>
  ): Promise<Response> {
    let refusal: unknown;
    for (const entry of entries) {
      try {
        return await (await openTransport(entry)).unary(...call);
      } catch (error) {
        if (!isTurnedAway(error)) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  function openTransport(entry: CredentialEntry): Promise<Transport> {
    return entry.transport ??= entry.identity()
      .then((identity) => connect(home.endpoints, identity));
  }

  async function at(
    name: string,
    node: string,
    direct = false,
    trusted = name,
  ): Promise<NodeClient> {
    const shown = await findEntry(name).identity();
    const { ca } = await findEntry(trusted).identity();
    const address = await findEndpoint(node);
    const endpoints = direct ? [address] : home.endpoints;
    const transport = onePerCall(
      () => connect(endpoints, { ...shown, ca }),
      unaryMs,
    );
    return nodeClient(node, transport, {
      signal,
      ...direct ? {} : { node },
      ...direct || addressFamily(address) === undefined ? {} : { address },
    });
  }

  function findEntry(name: string): CredentialEntry {
    const found = entries.find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new ConfigError(`This run has no credential "${name}"`);
  }

  return {
    home,
    add,
    at,
    names: () => entries.map(({ name }) => name),
    transport: { unary, stream, close: () => entries.forEach(close) },
  };
}

type CallWords<Request, Response> = [
  method: Method<Request, Response>,
  request: Request | AsyncIterable<Request>,
  options: CallOptions,
];

/** Errors that other certificates do not help against; a call lost midway may have been sent. */
const ways: ReadonlySet<ConnectCause> = new Set([
  "dns",
  "proxy",
  "refused",
  "unreachable",
  "timeout",
  "lost",
]);

/** The TLS handshake failed because one side does not trust the other; nothing was sent. */
function isTurnedAway(error: unknown): boolean {
  return error instanceof ConnectError && !ways.has(error.reason);
}

async function parseIdentity(
  { ca, crt, key }: Credential,
  vault: Pick<Vault, "read">,
): Promise<Identity> {
  const pem = new TextDecoder().decode(await vault.read(key));
  return readable({ ca, crt, key: pem });
}

/** The runtime accepts only its own PEM labels for keys. */
function readable({ key, ...rest }: Identity): Identity {
  return key === undefined
    ? rest
    : { ...rest, key: encodePkcs8(decodePrivateKey(key)) };
}

function close({ transport }: CredentialEntry): void {
  // Its connection error was thrown to its caller.
  transport?.then((one) => one.close(), () => {});
}

/** A new connection per call: existing ones would outlive a dropped CA. */
function onePerCall(make: () => Transport, unaryMs: number): Transport {
  return {
    async unary(method, request, options) {
      const transport = make();
      try {
        const limited = { deadlineMs: unaryMs, ...options };
        return await transport.unary(method, request, limited);
      } finally {
        transport.close();
      }
    },
    async *stream(method, request, options) {
      const transport = make();
      try {
        yield* transport.stream(method, request, options);
      } finally {
        transport.close();
      }
    },
    close() {},
  };
}
