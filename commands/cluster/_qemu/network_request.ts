import { addressFamily, parseNetwork } from "../../../lib/ip.ts";
import { resolve } from "node:path";
import { UsageError } from "../../../errors.ts";
import type {
  Chaos,
  ImageCache,
  QemuSpec,
  WantedCni,
} from "../../../provisioners/mod.ts";
import { requirePair } from "../../_image_server.ts";
import type { FullInputs } from "./inputs.ts";

/**
 * Builds the network settings. `home`: osctl directory in the user's home. Throws UsageError naming the invalid flag.
 */
export function toNetwork(
  input: FullInputs,
  home: string,
): QemuSpec["network"] {
  return {
    mtu: input.mtu,
    nameservers: input.nameservers.map(parseAddress),
    noMasquerade: input.noMasqueradeCidrs.map(parseSubnet),
    isNamedByDhcp: !input.disableDhcpHostname,
    chaos: parseChaos(input),
    isAirgapped: input.airgapped,
    cni: findCni(input, home),
  };
}

/** CNI plugins are used if their directories or archive are named. */
function findCni(input: FullInputs, home: string): WantedCni | undefined {
  const { cniBinPath, cniBundleUrl, cniCacheDir, cniConfDir } = input;
  const path = (text: string) =>
    resolve(text.replaceAll("${ARCH}", input.arch));
  if (cniBinPath.length === 0 && cniBundleUrl === undefined) {
    for (const name of ["cniCacheDir", "cniConfDir"] as const) {
      if (input[name] === undefined) continue;
      throw new UsageError(
        `Cannot use ${
          formatFlag(name)
        } without --cni-bin-path or --cni-bundle-url`,
      );
    }
    return undefined;
  }
  if (cniBundleUrl !== undefined && !/^https?:\/\/./.test(cniBundleUrl)) {
    throw new UsageError(
      `Invalid value "${cniBundleUrl}" for --cni-bundle-url: must be an http or https URL`,
    );
  }
  return {
    binPaths: cniBinPath.length === 0
      ? [`${home}/cni/bin`]
      : cniBinPath.map(path),
    cacheDir: path(cniCacheDir ?? `${home}/cni/cache`),
    confDir: path(cniConfDir ?? `${home}/cni/conf.d`),
    bundleUrl: cniBundleUrl?.replaceAll("${ARCH}", hostArchitecture),
  };
}

/** Plugins run on this machine, independent of the VM architecture. */
const hostArchitecture = Deno.build.arch === "aarch64" ? "arm64" : "amd64";

function parseAddress(text: string): string {
  if (addressFamily(text) !== undefined) return text;
  throw new UsageError(
    `Invalid value "${text}" for --nameservers: must be an IP address`,
  );
}

function parseSubnet(text: string): string {
  if (parseNetwork(text) !== undefined) return text;
  throw new UsageError(
    `Invalid value "${text}" for --no-masquerade-cidrs: must be a subnet such as 10.0.0.0/8`,
  );
}

function parseChaos(input: FullInputs): Chaos | undefined {
  const chaos: Chaos = {
    latencyMs: input.withNetworkLatency,
    jitterMs: input.withNetworkJitter,
    loss: input.withNetworkPacketLoss,
    reorder: input.withNetworkPacketReorder,
    corrupt: input.withNetworkPacketCorrupt,
    bandwidth: input.withNetworkBandwidth,
  };
  const names: Readonly<Record<keyof Chaos, string>> = {
    latencyMs: "latency",
    jitterMs: "jitter",
    loss: "packet-loss",
    reorder: "packet-reorder",
    corrupt: "packet-corrupt",
    bandwidth: "bandwidth",
  };
  const given = Object.entries(chaos).flatMap(([key, value]) =>
    value > 0 ? [`--with-network-${names[key as keyof Chaos]}`] : []
  );
  const [first] = given;
  if (first === undefined) return undefined;
  if (!input.withNetworkChaos) {
    throw new UsageError(`Cannot use ${first} without --with-network-chaos`);
  }
  const other = given.find((flag) => flag !== "--with-network-bandwidth");
  refuseTogether(
    chaos.bandwidth > 0 && other !== undefined,
    "--with-network-bandwidth",
    other ?? "",
  );
  if (chaos.reorder > 0 && chaos.latencyMs === 0) {
    throw new UsageError(
      "Cannot use --with-network-packet-reorder without --with-network-latency",
    );
  }
  return chaos;
}

/** Refuses two conflicting flags. Throws UsageError naming both if `isWrong`. */
export function refuseTogether(
  isWrong: boolean,
  one: string,
  other: string,
): void {
  if (isWrong) throw new UsageError(`Cannot use ${one} with ${other}`);
}

export function formatFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * Returns the image cache to serve on the bridge; `undefined` for none. Paths are absolute, since the cluster may be started from elsewhere later.
 *
 * @throws {UsageError} If flags are missing.
 */
export function findImageCache(
  { imageCachePath, imageCachePort: port, ...input }: FullInputs,
): ImageCache | undefined {
  const { imageCacheTlsCertFile: cert, imageCacheTlsKeyFile: key } = input;
  if (imageCachePath === undefined && cert === undefined && key === undefined) {
    return undefined;
  }
  requirePair(cert, key, "--image-cache-tls");
  if (imageCachePath === undefined) {
    throw new UsageError(
      "Cannot use --image-cache-tls-cert-file without --image-cache-path",
    );
  }
  return {
    folder: resolve(imageCachePath),
    port,
    ...cert !== undefined && key !== undefined &&
      { certFile: resolve(cert), keyFile: resolve(key) },
  };
}

/**
 * Returns the URL of the manager that nodes connect to; `undefined` for none.
 *
 * @throws {UsageError} If it is not valid, or other flags conflict with it.
 */
export function findManager(input: FullInputs): string | undefined {
  const { omniApiEndpoint: url } = input;
  if (url === undefined) return undefined;
  const flag = "--omni-api-endpoint";
  if (!/^(?:grpc|https):\/\/[^/?#]+\/?\?(?:.*&)?jointoken=[^&]/.test(url)) {
    throw new UsageError(
      `Invalid value for ${flag}: must be a URL with a join token, such as https://omni.example.org?jointoken=TOKEN`,
    );
  }
  const patches = [
    ...input.configPatch,
    ...input.configPatchControlPlane,
    ...input.configPatchWorker,
  ];
  refuseTogether(patches.length > 0, flag, "configuration patches");
  refuseTogether(input.inputDir !== undefined, flag, "--input-dir");
  refuseTogether(input.skipEtcdK8s, flag, "--skip-etcd-k8s");
  refuseTogether(
    ![undefined, "false"].includes(input.withOslink),
    flag,
    "--with-oslink",
  );
  return url;
}
