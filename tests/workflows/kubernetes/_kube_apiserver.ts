/**
 * The real API server of Kubernetes, for tests where its program is named in `OSCTL_KUBE_APISERVER`, and the controllers
 * of Deployments and DaemonSets where `OSCTL_KUBE_CONTROLLER_MANAGER` names theirs.
 */

import { createCa } from "../../../pki/ca.ts";
import { issueCertificate } from "../../../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../../../pki/key.ts";
import { encodePem, pemLabel } from "../../../pki/pem.ts";
import { encodePkcs8 } from "../../../pki/private_key.ts";
import { serverKeyPair } from "../../../simulator/etcd/real/real_server.ts";
import type { KubernetesAccess } from "../../../workflows/kubernetes/access.ts";
import {
  type Kubernetes,
  openKubernetes,
} from "../../../workflows/kubernetes/client.ts";
import { existing } from "../../../workflows/kubernetes/objects.ts";
import { realNeeds } from "../../_etcd.ts";
import { withFolder } from "../../_folder.ts";
import { type Need, variable } from "../../_needs.ts";

const program = Deno.env.get("OSCTL_KUBE_APISERVER");

const controllerManager = Deno.env.get("OSCTL_KUBE_CONTROLLER_MANAGER");

export const serverNeeds: readonly Need[] = [
  variable("OSCTL_KUBE_APISERVER"),
  ...realNeeds,
];

export const controllerNeed: Need = variable("OSCTL_KUBE_CONTROLLER_MANAGER");

/** Longest time until it serves, in milliseconds. */
const patienceMs = 60_000;

/** Runs a test with an API server of its own, and an administrator. `controllers`: whether they run, too. */
export async function withApiServer(
  test: (kubernetes: Kubernetes) => Promise<void>,
  controllers: boolean,
): Promise<void> {
  await withFolder({}, async (folder) => {
    const access = await makeFiles(folder);
    const [client, peer, port] = freePorts();
    await using _etcd = start(Deno.env.get("OSCTL_ETCD") ?? "etcd", [
      `--data-dir=${folder}/etcd`,
      `--listen-client-urls=http://127.0.0.1:${client}`,
      `--advertise-client-urls=http://127.0.0.1:${client}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
    ]);
    await using server = start(program ?? "", [
      `--etcd-servers=http://127.0.0.1:${client}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--client-ca-file=${folder}/ca.crt`,
      `--tls-cert-file=${folder}/server.crt`,
      `--tls-private-key-file=${folder}/server.key`,
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${folder}/server.key`,
      `--service-account-signing-key-file=${folder}/server.key`,
      "--service-cluster-ip-range=10.96.0.0/12",
      "--authorization-mode=RBAC",
      // Pods need no account where no controller makes any.
      "--disable-admission-plugins=ServiceAccount",
    ]);
    using kubernetes = openKubernetes({
      ...access,
      server: `https://127.0.0.1:${port}`,
    });
    await untilServed(kubernetes, server);
    if (!controllers) return await test(kubernetes);
    await Deno.writeTextFile(
      `${folder}/kubeconfig`,
      formatKubeconfig(`https://127.0.0.1:${port}`, access),
    );
    await using _controllers = start(controllerManager ?? "", [
      `--kubeconfig=${folder}/kubeconfig`,
      "--controllers=deployment-controller,replicaset-controller,daemonset-controller",
      "--leader-elect=false",
      "--secure-port=0",
    ]);
    await test(kubernetes);
  });
}

async function makeFiles(
  folder: string,
): Promise<Omit<KubernetesAccess, "server">> {
  const ca = await createCa({
    organizations: ["kubernetes"],
    algorithm: "ECDSA",
  });
  const server = await serverKeyPair(ca, {
    hostname: "localhost",
    addresses: [],
  });
  const key = await generateKey("ECDSA");
  const certificate = await issueCertificate({
    ca,
    publicKey: await exportPublicSpki(key),
    subject: { organizations: ["system:masters"], commonName: "admin" },
    extendedKeyUsage: ["clientAuth"],
  });
  const caPem = encodePem(pemLabel.certificate, ca.certificate);
  await Deno.writeTextFile(`${folder}/ca.crt`, caPem);
  await Deno.writeTextFile(`${folder}/server.crt`, server.certificate);
  await Deno.writeTextFile(`${folder}/server.key`, server.key);
  return {
    ca: caPem,
    crt: encodePem(pemLabel.certificate, certificate),
    key: encodePkcs8(key),
  };
}

function formatKubeconfig(
  server: string,
  { ca, crt, key }: Omit<KubernetesAccess, "server">,
): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{
      name: "test",
      cluster: { server, "certificate-authority-data": btoa(ca) },
    }],
    users: [{
      name: "admin",
      user: {
        "client-certificate-data": btoa(crt),
        "client-key-data": btoa(key),
      },
    }],
    contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
    "current-context": "test",
  });
}

/** Ports nobody listens on now. */
function freePorts(): readonly [number, number, number] {
  using one = listen();
  using two = listen();
  using three = listen();
  return [one.addr.port, two.addr.port, three.addr.port];
}

function listen(): Deno.TcpListener {
  return Deno.listen({ hostname: "127.0.0.1", port: 0 });
}

/** A program that is ended with its test. */
interface Started extends AsyncDisposable {
  readonly ended: Promise<string>;
}

function start(command: string, args: readonly string[]): Started {
  const child = new Deno.Command(command, {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const said = new Response(child.stderr).text();
  return {
    ended: said,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await Promise.all([child.status, said]);
    },
  };
}

async function untilServed(
  kubernetes: Kubernetes,
  { ended }: Started,
): Promise<void> {
  const signal = AbortSignal.timeout(patienceMs);
  let gone: string | undefined;
  ended.then((said) => gone = said);
  // It makes its namespaces last.
  for (const name of ["default", "kube-system"]) {
    while (!await isThere(kubernetes, `/api/v1/namespaces/${name}`, signal)) {
      if (gone !== undefined) throw new Error(gone);
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function isThere(
  kubernetes: Kubernetes,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await existing(kubernetes, path, signal) !== undefined;
  } catch {
    return false;
  }
}
