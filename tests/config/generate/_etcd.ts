/** A cluster of the installed etcd on loopback, its TLS signed by the CA of a secrets bundle. */

import type {
  EncodedCa,
  SecretsBundle,
} from "../../../config/generate/secrets.ts";
import { readCa } from "../../../pki/ca.ts";
import { issueCertificate } from "../../../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../../../pki/key.ts";
import { encodePem } from "../../../pki/pem.ts";
import { encodePrivateKey } from "../../../pki/private_key.ts";

export interface EtcdAnswer {
  readonly ok: boolean;
  /** Standard output and standard error. */
  readonly text: string;
}

/** A running cluster. */
export interface Etcd extends AsyncDisposable {
  /** URLs for clients, one per member. */
  readonly endpoints: readonly string[];
  /** Folder with `ca.crt`, and per name in {@linkcode etcdCertificate} a pair. */
  readonly folder: string;
  /** Runs etcdctl; endpoints and TLS are up to the arguments. */
  readonly ctl: (...args: readonly string[]) => Promise<EtcdAnswer>;
}

/** Starts members that know each other; whether they have found together is for {@linkcode until} to see. */
export async function startEtcd(
  { certs: { etcd: ca } }: SecretsBundle,
  count: number,
): Promise<Etcd> {
  const folder = await Deno.makeTempDir();
  const ports = freePorts(2 * count);
  const members = Array.from({ length: count }, (_, index) => ({
    name: `member${index}`,
    client: `https://127.0.0.1:${ports[2 * index]}`,
    peer: `https://127.0.0.1:${ports[2 * index + 1]}`,
  }));
  const pem = Uint8Array.fromBase64(ca.crt);
  await Deno.writeFile(`${folder}/ca.crt`, pem);
  for (const { name } of members) await etcdCertificate(folder, name, ca);
  const initial = members.map(({ name, peer }) => `${name}=${peer}`).join(",");
  const running = members.map(({ name, client, peer }) =>
    new Deno.Command("etcd", {
      args: [
        `--name=${name}`,
        `--data-dir=${folder}/${name}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=${initial}`,
        "--heartbeat-interval=50",
        "--election-timeout=500",
        "--logger=zap",
        `--log-outputs=${folder}/${name}.log`,
        ...["", "peer-"].flatMap((kind) => [
          `--${kind}cert-file=${folder}/${name}.crt`,
          `--${kind}key-file=${folder}/${name}.key`,
          `--${kind}trusted-ca-file=${folder}/ca.crt`,
          `--${kind}client-cert-auth`,
        ]),
      ],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn()
  );
  return {
    endpoints: members.map(({ client }) => client),
    folder,
    ctl: (...args) => output("etcdctl", args),
    async [Symbol.asyncDispose]() {
      for (const member of running) member.kill("SIGKILL");
      await Promise.all(running.map(({ status }) => status));
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * Issues a certificate as nodes do for their etcd: for both sides of TLS, with names and addresses.
 *
 * @param folder Where `<name>.crt` and `<name>.key` go.
 * @param name Common name.
 * @param ca Who signs.
 */
export async function etcdCertificate(
  folder: string,
  name: string,
  ca: EncodedCa,
): Promise<void> {
  const key = await generateKey("ECDSA");
  const certificate = await issueCertificate({
    ca: await readCa(
      Uint8Array.fromBase64(ca.crt),
      Uint8Array.fromBase64(ca.key),
    ),
    subject: { organizations: [], commonName: name },
    publicKey: await exportPublicSpki(key),
    subjectAltNames: { dns: ["localhost"], ips: ["127.0.0.1", "::1"] },
    extendedKeyUsage: ["serverAuth", "clientAuth"],
  });
  const crt = encodePem("CERTIFICATE", certificate);
  await Deno.writeTextFile(`${folder}/${name}.crt`, crt);
  await Deno.writeTextFile(`${folder}/${name}.key`, encodePrivateKey(key));
}

/**
 * Asks again until the answer is a good one.
 *
 * @throws {Error} With the last answer, if there is none for 30 s.
 */
export async function until(
  ask: () => Promise<EtcdAnswer>,
): Promise<EtcdAnswer> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const answer = await ask();
    if (answer.ok) return answer;
    if (performance.now() > deadline) throw new Error(answer.text);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// All are held until the last is known, so that they differ.
function freePorts(count: number): readonly number[] {
  const listeners = Array.from(
    { length: count },
    () => Deno.listen({ hostname: "127.0.0.1", port: 0 }),
  );
  const ports = listeners.map(({ addr }) => addr.port);
  for (const listener of listeners) listener.close();
  return ports;
}

async function output(
  program: string,
  args: readonly string[],
): Promise<EtcdAnswer> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    env: { ETCDCTL_API: "3" },
  }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { ok: success, text: text.join("") };
}
