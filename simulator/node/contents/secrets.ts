/** Secrets of a node from its configuration. */

import { addressFamily } from "../../../lib/ip.ts";
import { createPublicKey } from "node:crypto";
import type { Cursor } from "../../../config/documents/cursor.ts";
import { encodeFile } from "../../../config/generate/secrets.ts";
import type { KeyPair } from "../../state/identities.ts";
import type { SimulatedNode } from "../../state/node.ts";
import { findMain } from "../../state/node_configuration.ts";
import { readSettings } from "../../state/node_settings.ts";
import { encodeCertificates } from "../../state/trust.ts";
import { type NodeResource, resource } from "./content.ts";

/** Root secrets; those of Kubernetes only on control planes. */
export function secretContents(node: SimulatedNode): readonly NodeResource[] {
  const main = findMain(node);
  const { hostname, address, machineType } = node.identity;
  const sans = texts(main.get("machine", "certSANs"));
  const os = readRoot(main.get("machine"));
  const all = [
    resource("OSRootSecrets.secrets", "os", "secrets.RootOSController", {
      ...os,
      certSANIPs: sans.filter(addressFamily),
      certSANDNSNames: sans.filter((name) => addressFamily(name) === undefined),
      token: main.get("machine", "token").text() ?? "",
    }),
    resource("CertSANs.secrets", "api", "secrets.APICertSANsController", {
      ips: [...sans.filter(addressFamily), address],
      dnsNames: [
        ...sans.filter((name) => addressFamily(name) === undefined),
        hostname,
      ],
      fqdn: hostname,
    }),
  ];
  return machineType === "worker" ? all : [...all, kubernetesRoot(node)];
}

function kubernetesRoot(node: SimulatedNode): NodeResource {
  const cluster = findMain(node).get("cluster");
  const text = (...path: string[]) => cluster.get(...path).text() ?? "";
  const [tokenId = "", token = ""] = text("token").split(".");
  const owner = "secrets.RootKubernetesController";
  const endpoint = text("controlPlane", "endpoint");
  const aggregatorCA = readPair(cluster.get("aggregatorCA"));
  const signer = text("serviceAccount", "key");
  return resource("KubernetesRootSecrets.secrets", "k8s", owner, {
    name: text("clusterName"),
    endpoint: parseUrl(endpoint),
    local_endpoint: parseUrl("https://127.0.0.1:7445"),
    certSANs: texts(cluster.get("apiServer", "certSANs")),
    apiServerIPs: ["10.96.0.1"],
    dnsDomain: cluster.get("network", "dnsDomain").text() ?? "cluster.local",
    ...readRoot(cluster),
    serviceAccount: { key: signer },
    serviceAccountAcceptedKeys: listPublicKeys(signer),
    issuerURL: endpoint,
    acceptedIssuers: [],
    apiAudiences: [endpoint],
    aggregatorCA,
    acceptedAggregatorCAs: [{ crt: aggregatorCA.crt }],
    etcdEncryptionConfig: readSettings(node).etcdEncryption,
    aesCBCEncryptionSecret: text("aescbcEncryptionSecret"),
    bootstrapTokenID: tokenId,
    bootstrapTokenSecret: token,
    secretboxEncryptionSecret: text("secretboxEncryptionSecret"),
  });
}

/** Cache of public keys by private key; a cluster has one, and each configuration change uses it. */
const publicKeys = new Map<string, readonly object[]>();

function listPublicKeys(signer: string): readonly object[] {
  const known = publicKeys.get(signer) ?? readPublicKeys(signer);
  if (publicKeys.size > 1_000) publicKeys.clear();
  publicKeys.set(signer, known);
  return known;
}

/** Public key of a signing key, both base64 of PEM; empty if the key is invalid. */
function readPublicKeys(signer: string): readonly object[] {
  try {
    const pem = createPublicKey(atob(signer)).export({
      type: "spki",
      format: "pem",
    });
    return [{ key: encodeFile(String(pem)) }];
  } catch {
    return [];
  }
}

/** Certificates of the node's API server, and client certificates that control planes use to forward calls. */
export function apiCertificates(
  { trust: { accepted } }: SimulatedNode,
  { server, client }: {
    readonly server: KeyPair;
    readonly client: KeyPair | undefined;
  },
): NodeResource {
  const file = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const pair = ({ certificate, key }: KeyPair) => ({
    crt: file(certificate),
    key: file(key),
  });
  return resource("ApiCertificates.secrets", "api", "secrets.APIController", {
    acceptedCAs: accepted.map((one) => ({
      crt: file(encodeCertificates([one])),
    })),
    client: client === undefined ? null : pair(client),
    server: pair(server),
    skipVerifyingClientCert: false,
  });
}

/** CAs of an API; without the issuer's key only its certificate. */
function readRoot(section: Cursor) {
  const issuing = readPair(section.get("ca"));
  const others = section.get("acceptedCAs").items().map((item) => ({
    crt: item.get("crt").text() ?? "",
  }));
  return {
    issuingCA: issuing.key === "" ? null : issuing,
    acceptedCAs: [...others, { crt: issuing.crt }],
  };
}

function readPair(section: Cursor) {
  const [crt, key] = ["crt", "key"].map((name) => section.get(name).text());
  return { crt: crt ?? "", key: key ?? "" };
}

function texts(list: Cursor): readonly string[] {
  return list.items().map((item) => item.text() ?? "");
}

function parseUrl(text: string) {
  const [scheme = "", host = ""] = text.split("://");
  return {
    scheme,
    opaque: "",
    user: null,
    host,
    path: "",
    rawpath: "",
    omithost: false,
    forcequery: false,
    rawquery: "",
    fragment: "",
    rawfragment: "",
  };
}
