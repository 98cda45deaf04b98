/** CAs and keys of a cluster created by `kubeadm`. */

import { ConfigError } from "../../errors.ts";
import { readCa } from "../../pki/ca.ts";
import { exportPublicSpki } from "../../pki/key.ts";
import { readBoundedBytes } from "../../lib/files/bounded_file.ts";
import { DocumentsError, type Problem } from "../documents/problem.ts";
import { encodeFile, type SecretsBundle } from "./secrets.ts";

type KubernetesCerts = Omit<SecretsBundle["certs"], "os">;

/**
 * Reads a directory in the layout of `/etc/kubernetes/pki`. Throws `ConfigError` if it is not
 * a directory, or with every missing or invalid file.
 */
export async function readKubernetesPki(
  directory: string,
): Promise<KubernetesCerts> {
  const problems: Problem[] = [];
  // In sequence, so that problems are always reported in the same order.
  const certs = {
    k8s: await caAt(directory, "ca", problems),
    etcd: await caAt(directory, "etcd/ca", problems),
    k8sAggregator: await caAt(directory, "front-proxy-ca", problems),
    k8sServiceAccount: { key: await key(directory, "sa.key", problems) },
  };
  if (problems.length === 0) return certs;
  throw new DocumentsError(`Kubernetes PKI "${directory}"`, problems);
}

async function caAt(
  directory: string,
  name: string,
  problems: Problem[],
): Promise<{ readonly crt: string; readonly key: string }> {
  const crt = await fileAt(directory, `${name}.crt`, problems);
  const key = await fileAt(directory, `${name}.key`, problems);
  if (crt !== undefined && key !== undefined) {
    await check(`${name}.crt`, problems, () => readCa(crt, key));
  }
  return { crt: encodeOptional(crt), key: encodeOptional(key) };
}

async function key(
  directory: string,
  name: string,
  problems: Problem[],
): Promise<string> {
  const pem = await fileAt(directory, name, problems);
  if (pem !== undefined) {
    await check(name, problems, () => exportPublicSpki(pem));
  }
  return encodeOptional(pem);
}

async function fileAt(
  directory: string,
  name: string,
  problems: Problem[],
): Promise<Uint8Array | undefined> {
  const pem = await readOptional(directory, name);
  if (pem === undefined) problems.push(problem(name, "No such file"));
  return pem;
}

async function readOptional(
  directory: string,
  name: string,
): Promise<Uint8Array | undefined> {
  const path = `${directory}/${name}`;
  try {
    return await readBoundedBytes({
      path,
      limitMib: 1,
      expected: "a PEM file",
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (!(error.cause instanceof Deno.errors.NotADirectory)) throw error;
    throw new ConfigError(`Cannot read "${directory}": it is not a directory`, {
      hint: "Give a directory like /etc/kubernetes/pki",
      cause: error.cause,
    });
  }
}

async function check(
  name: string,
  problems: Problem[],
  parse: () => Promise<unknown>,
): Promise<void> {
  try {
    await parse();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(problem(name, error.message));
  }
}

function problem(path: string, message: string): Problem {
  return { level: "error", path, message };
}

function encodeOptional(pem: Uint8Array | undefined): string {
  return pem === undefined ? "" : encodeFile(pem);
}
