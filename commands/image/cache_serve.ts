import { networkInterfaces } from "node:os";
import { stringify } from "yaml";
import { document } from "../../config/generate/split_documents.ts";
import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { hostPort } from "../../lib/ip.ts";
import { requirePair, serveImages } from "../_image_server.ts";
import {
  type Flag,
  InputProblem,
  requiredText,
  silently,
  strings,
  text,
} from "../_kit/mod.ts";

interface ListenAddress {
  /** Empty for all addresses. */
  readonly host: string;
  readonly port: number;
}

const inputs = {
  imageCachePath: requiredText("directory of a flat image cache", {
    complete: "directories",
  }),
  address: addressFlag("127.0.0.1:3172"),
  mirror: strings("registries to serve, for the configuration patch", {
    initial: ["docker.io", "ghcr.io", "registry.k8s.io"],
  }),
  tlsCertFile: text("certificate of the server, PEM; HTTP without it", {
    complete: "files",
  }),
  tlsKeyFile: text("key of the certificate, PEM", { complete: "files" }),
};

const patchFile = "image-cache-mirrors-patch.yaml";

export const command = silently({
  summary: "Serve an image cache as a registry",
  description:
    `Serves a directory of "image cache-create --layout flat" over HTTP, or over HTTPS with a certificate of "image
cache-cert-gen", until it is interrupted. Clients can only read. Writes ${patchFile}, a configuration patch
that makes nodes use this server as a mirror of the registries; not for port 0. Each request is printed with its status.`,
  inputs,
  examples: [
    "image cache-serve --image-cache-path ./cache --address 10.0.0.10:3172",
    "image cache-serve --image-cache-path ./cache --address :3172 --tls-cert-file tls.crt --tls-key-file tls.key",
  ],
  noStep: "it serves until it is stopped",
  async work({ input, note, signal }) {
    const { address: { host, port }, mirror } = input;
    const { tlsCertFile: certFile, tlsKeyFile: keyFile } = input;
    requirePair(certFile, keyFile, "--tls");
    await using server = await serveImages({
      folder: input.imageCachePath.replace(/\/+$/, ""),
      host: host === "" ? "::" : host,
      port,
      certFile,
      keyFile,
      answered: ({ method, path }, status) =>
        note(`${status} ${method} ${path}`),
    });
    const scheme = certFile === undefined ? "http" : "https";
    const hosts = /^$|^0\.0\.0\.0$|^::$/.test(host) ? ownAddresses() : [host];
    const urls = hosts.map((one) =>
      `${scheme}://${hostPort(one, server.port)}`
    );
    if (port !== 0) {
      const endpoints = urls.map((url) => ({ url }));
      const documents = mirror.map((name) =>
        stringify(document("RegistryMirrorConfig", { name, endpoints }))
      );
      await writeFileAtomic(patchFile, documents.join("---\n"));
      note(`Wrote ${patchFile}`);
    }
    note(`Serving at ${urls.join(", ")}`);
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve, { once: true });
      if (signal.aborted) resolve(undefined);
    });
  },
});

function addressFlag(initial: string): Flag<ListenAddress> {
  const parse = (value: string) => {
    const [, host = "", port] = /^(.*):(\d{1,5})$/.exec(value) ?? [];
    if (port !== undefined && Number(port) < 65_536) {
      return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
    }
    throw new InputProblem("must be an address such as 10.0.0.10:3172");
  };
  return {
    ...text("address to listen on", { shown: initial }),
    parse,
    initial: parse(initial),
  };
}

/** Addresses of this machine that other machines can reach. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ internal, scopeid }) => !internal && !scopeid)
      .map(({ address }) => address)
  );
}
