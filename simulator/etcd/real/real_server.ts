/** One real etcd server: its folder, process and gateway. */

import {
  issueKeyPair,
  type KeyPair,
  yearFrom,
} from "../../state/identities.ts";
import type { CertificateAuthority } from "../../../pki/certificate.ts";
import { encodePem, pemLabel } from "../../../pki/pem.ts";
import { systemClock } from "../../clock/clock.ts";
import type {
  EtcdRun,
  EtcdServer,
  EtcdStartOptions,
} from "../../state/etcd.ts";
import { notRunningError } from "../etcd_error.ts";
import {
  type EtcdProcess,
  killStaleServer,
  startProcess,
} from "./etcd_process.ts";
import { type Gateway, gateway } from "./gateway.ts";
import { type EtcdPrograms, restoreSnapshot } from "./program.ts";
import { realClient, type TaskQueue } from "./real_client.ts";
import {
  type EtcdListenAddress,
  formatPeerUrl,
  serverArguments,
} from "./server_arguments.ts";

interface RealServerSpec {
  readonly programs: EtcdPrograms;
  readonly folder: string;
  /** Returns its listen address, always the same one. */
  readonly place: () => Promise<EtcdListenAddress>;
  readonly address: string;
  /** Extra arguments, such as `--quota-backend-bytes=16777216`. */
  readonly args: readonly string[];
  /** Called when the server has started and when it has exited. */
  readonly changed: () => void;
  /** Serializes server starts: the servers find each other faster. */
  readonly starting: TaskQueue;
  /** Serializes membership changes. */
  readonly reconfiguring: TaskQueue;
}

/** Makes a server, not started. */
export function realServer(spec: RealServerSpec): EtcdServer {
  const { folder, place, changed } = spec;
  const data = `${folder}/data`;
  const upload = `${folder}/snapshot.db`;
  let connection: Gateway | undefined;
  let endpoint = "127.0.0.1:2379";

  function close(): void {
    connection?.close();
    connection = undefined;
  }

  async function start(options: EtcdStartOptions): Promise<EtcdRun> {
    await killStaleServer(folder);
    const here = await place();
    endpoint = `${here.host}:${here.clientPort}`;
    const fresh = await prepare(spec, here, options);
    const process = await spec.starting(() => run(spec, here, options));
    connection = fresh;
    const ended = process.ended.then((end) => {
      close();
      changed();
      return end;
    });
    changed();
    return { ended, stop: process.stop, kill: process.kill };
  }

  return {
    peerUrl: async () => formatPeerUrl(await place()),
    endpoint: () => endpoint,
    client: realClient(() => {
      if (connection === undefined) throw notRunningError(endpoint);
      return connection;
    }, spec.reconfiguring),
    isRunning: () => connection !== undefined,
    databaseFile: () => fileAt(`${data}/member/snap/db`),
    hasData: () => hasEntries(data),
    wipe: () => Deno.remove(data, { recursive: true }).catch(ignoreAbsence),
    async upload(parts) {
      await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        const bytes = ReadableStream.from(parts);
        await Deno.writeFile(upload, bytes, { mode: 0o600 });
      } catch (error) {
        await Deno.remove(upload).catch(ignoreAbsence);
        throw error;
      }
    },
    async restore(name, { skipHashCheck }) {
      const peerUrl = formatPeerUrl(await place());
      const program = spec.programs.restorer;
      const files = { upload, data };
      await restoreSnapshot({
        program,
        ...files,
        name,
        peerUrl,
        skipHashCheck,
      });
    },
    start,
  };
}

async function run(
  spec: RealServerSpec,
  place: EtcdListenAddress,
  { name, initial, log }: EtcdStartOptions,
): Promise<EtcdProcess> {
  const { folder, programs } = spec;
  const process = startProcess({
    program: programs.server,
    args: [...serverArguments({ folder, place, name, initial }), ...spec.args],
    pidFile: `${folder}/pid`,
    log,
  });
  await process.serving;
  return process;
}

/** Writes the certificates of the server and makes its gateway. */
async function prepare(
  { folder, address }: RealServerSpec,
  { host, clientPort: port }: EtcdListenAddress,
  { name: hostname, issuer }: EtcdStartOptions,
): Promise<Gateway> {
  await Deno.mkdir(`${folder}/pki`, { recursive: true, mode: 0o700 });
  const ca = encodePem(pemLabel.certificate, issuer.certificate);
  const names = { hostname, addresses: [address, host] };
  const [server, peer, client] = await Promise.all([
    serverKeyPair(issuer, names),
    serverKeyPair(issuer, names),
    clientKeyPair(issuer, "root"),
  ]);
  const files = {
    "ca.crt": ca,
    "server.crt": server.certificate,
    "server.key": server.key,
    "peer.crt": peer.certificate,
    "peer.key": peer.key,
  };
  await Promise.all(
    Object.entries(files).map(([name, text]) =>
      Deno.writeTextFile(`${folder}/pki/${name}`, text, { mode: 0o600 })
    ),
  );
  return gateway({ host, port, ca, ...client });
}

async function hasEntries(folder: string): Promise<boolean> {
  try {
    for await (const _ of Deno.readDir(folder)) return true;
    return false;
  } catch (error) {
    ignoreAbsence(error);
    return false;
  }
}

function fileAt(path: string): Uint8Array | undefined {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    return ignoreAbsence(error);
  }
}

function ignoreAbsence(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

/** Makes the certificate of a server, for clients and peers. */
export function serverKeyPair(
  ca: CertificateAuthority,
  { hostname, addresses }: {
    readonly hostname: string;
    readonly addresses: readonly string[];
  },
): Promise<KeyPair> {
  const ips = [...new Set([...addresses, "127.0.0.1", "::1"])];
  return keyPair(ca, {
    commonName: hostname,
    extendedKeyUsage: ["serverAuth", "clientAuth"],
    subjectAltNames: { dns: [hostname, "localhost"], ips },
  });
}

/** Makes the certificate of a client with full access. */
export function clientKeyPair(
  ca: CertificateAuthority,
  commonName: string,
): Promise<KeyPair> {
  return keyPair(ca, { commonName, extendedKeyUsage: ["clientAuth"] });
}

function keyPair(
  ca: CertificateAuthority,
  { commonName, ...spec }:
    & { readonly commonName: string }
    & Pick<
      Parameters<typeof issueKeyPair>[0],
      "extendedKeyUsage" | "subjectAltNames"
    >,
): Promise<KeyPair> {
  return issueKeyPair({
    ...spec,
    ca,
    algorithm: "ECDSA",
    subject: { organizations: [], commonName },
    keyUsage: ["digitalSignature", "keyEncipherment"],
    ...yearFrom(systemClock.now()),
  });
}
