/** Requirements of tests on the machine. Each is looked for by itself; none is inferred from another. */

import { type Lack, noteLack } from "../tools/test_meter.ts";

/** Something that a test needs. */
export interface Need extends Lack {
  /** Looks for it; it is asked once in a process. */
  readonly isThere: () => boolean;
}

/** Packages in which programs are: of Debian, and of Homebrew where that has them. */
const packages = {
  age: ["age", "age"],
  bash: ["bash", "bash"],
  busybox: ["busybox", "busybox"],
  "cert-to-efi-sig-list": ["efitools"],
  chromium: ["chromium", "chromium"],
  curl: ["curl", "curl"],
  dash: ["dash", "dash"],
  dhclient: ["isc-dhcp-client"],
  dig: ["bind9-dnsutils", "bind"],
  docker: ["docker.io", "docker"],
  "docker-registry": ["docker-registry"],
  dockerd: ["docker.io"],
  dot: ["graphviz", "graphviz"],
  "dpkg-deb": ["dpkg", "dpkg"],
  etcd: ["etcd-server", "etcd"],
  etcdctl: ["etcd-client", "etcd"],
  fish: ["fish", "fish"],
  genisoimage: ["genisoimage"],
  git: ["git", "git"],
  gpg: ["gnupg", "gnupg"],
  htpasswd: ["apache2-utils", "httpd"],
  ip: ["iproute2"],
  iptables: ["iptables"],
  minisign: ["minisign", "minisign"],
  nft: ["nftables"],
  nghttpd: ["nghttp2-server", "nghttp2"],
  openssl: ["openssl", "openssl@3"],
  pgrep: ["procps"],
  podman: ["podman"],
  ps: ["procps"],
  pkill: ["procps"],
  python3: ["python3", "python"],
  "qemu-system-x86_64": ["qemu-system-x86", "qemu"],
  sbkeysync: ["sbsigntool"],
  sbsign: ["sbsigntool"],
  script: ["bsdutils"],
  setpriv: ["util-linux"],
  setsid: ["util-linux"],
  "sig-list-to-certs": ["efitools"],
  "sign-efi-sig-list": ["efitools"],
  skopeo: ["skopeo", "skopeo"],
  "ssh-keygen": ["openssh-client", "openssh"],
  strace: ["strace"],
  tcpdump: ["tcpdump", "tcpdump"],
  tftp: ["tftp-hpa"],
  tmux: ["tmux", "tmux"],
  udhcpc: ["udhcpc"],
  unshare: ["util-linux"],
  wg: ["wireguard-tools", "wireguard-tools"],
  "wireguard-go": ["wireguard-go", "wireguard-go"],
  zsh: ["zsh", "zsh"],
  zstd: ["zstd", "zstd"],
} as const satisfies Readonly<
  Record<string, readonly [debian: string, brew?: string]>
>;

/** A program that tests need. */
export type Program = keyof typeof packages;

const programs = new Map<string, Need>(
  Object.entries(packages).map(([name, [debian, brew]]) => [name, {
    name,
    debian,
    ...brew !== undefined && { brew },
    isThere: () => findProgram(name) !== undefined,
  }]),
);

/** Folders of programs; those of root's are often not in `PATH`. */
const folders = [
  ...(Deno.env.get("PATH") ?? "").split(":"),
  ...["/usr/local/sbin", "/usr/sbin", "/sbin"],
];

/** Path of a program that is installed. */
export function findProgram(program: string): string | undefined {
  if (program.includes("/")) return isFile(program) ? program : undefined;
  return folders.map((folder) => `${folder}/${program}`).find(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** A file, and the package of Debian that has it. */
export function file(name: string, path: string, debian: string): Need {
  return { name, debian, isThere: () => isFile(path) };
}

/** A variable of the environment that CI does not set. */
export function variable(name: string, is?: string): Need {
  const value = Deno.env.get(name);
  return {
    name: is === undefined ? name : `${name}=${is}`,
    optional: "a variable of the environment",
    isThere: () => is === undefined ? value !== undefined : value === is,
  };
}

/** Something that a test wants, and a machine may lack for good. `why`: for which reason CI does not need to have it. */
export function optional(
  name: string,
  why: string,
  isThere: () => boolean,
): Need {
  return { name, optional: why, isThere };
}

/** Something that shows when a program is tried. `debian`: the package that may lack. */
export function runCase(
  name: string,
  debian: string | undefined,
  ...line: string[]
): Need {
  const has = debian === undefined ? {} : { debian };
  return { name, ...has, isThere: () => succeeds(line) };
}

export function succeeds([program = "", ...args]: readonly string[]): boolean {
  try {
    const streams = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return new Deno.Command(program, { args, ...streams }).outputSync().success;
  } catch {
    return false;
  }
}

const { os } = Deno.build;

/** Linux: its processes, namespaces and addresses. */
export const linux = optional("Linux", "another system", () => os === "linux");

/** A system with signals and modes of files. */
export const posix = optional(
  "POSIX",
  "another system",
  () => os !== "windows",
);

/** The rights of root. */
export const root: Need = {
  name: "root",
  isThere: () => os !== "windows" && Deno.uid() === 0,
};

/** Namespaces that whoever runs the tests may make. */
export const namespaces = {
  host: runCase(
    "a host name of its own",
    "util-linux",
    "unshare",
    "-u",
    "true",
  ),
  mount: runCase(
    "mounts of its own",
    "util-linux",
    ..."unshare --mount mount -t tmpfs none /mnt".split(" "),
  ),
  network: runCase(
    "a network of its own",
    "util-linux",
    ..."unshare --net true".split(" "),
  ),
  /** Of a user who is root only in there. */
  unprivileged: runCase(
    "user namespaces",
    "util-linux",
    ..."unshare --user --map-root-user --net --mount true".split(" "),
  ),
} as const;

/** Taps of virtual machines, in a network of their own. */
export const taps = runCase(
  "taps (/dev/net/tun)",
  "iproute2",
  ..."unshare --net ip tuntap add probe mode tap".split(" "),
);

/** Queues that disturb a network. */
export const queues = runCase(
  "queues of the kernel (tbf)",
  "iproute2",
  ...["unshare", "--net", "sh", "-c"],
  "ip link set lo up && tc qdisc add dev lo root tbf rate 1mbit burst 16kb latency 50ms",
);

export const networkNeeds = ["ip", "iptables", "nft", queues] as const;

/** A program may see the system calls of another. */
export const tracing = runCase(
  "system calls of others",
  "strace",
  ..."strace -f -qq --seccomp-bpf -e trace=none true".split(" "),
);

/** An `openssl` that prints what OpenSSL 3 prints; others by that name print other texts. */
export const openssl3: Need = {
  ...programs.get("openssl")!,
  name: "openssl 3",
  isThere() {
    try {
      const { stdout } = new Deno.Command("openssl", { args: ["version"] })
        .outputSync();
      return /^OpenSSL 3/.test(new TextDecoder().decode(stdout));
    } catch {
      return false;
    }
  },
};

/** Plugins for networks of containers, where Debian puts them. */
export const plugins = file(
  "CNI plugins",
  "/usr/lib/cni/bridge",
  "containernetworking-plugins",
);

/** The built executable. */
export const executable: Need = {
  name: "the executable (deno task build)",
  isThere: () =>
    isFile(
      Deno.env.get("OSCTL_BIN") ??
        new URL("../dist/osctl", import.meta.url).pathname,
    ),
};

/** All that are known by name; for the check that CI has them. */
export const known: readonly Need[] = [
  ...programs.values(),
  ...Object.values(namespaces),
  ...[taps, queues, tracing, openssl3, plugins, root, executable],
];

const found = new Map<Need, boolean>();

export function has(wanted: Program | Need): boolean {
  const need = typeof wanted === "string" ? programs.get(wanted)! : wanted;
  let isThere = found.get(need);
  if (isThere === undefined) found.set(need, isThere = need.isThere());
  return isThere;
}

/**
 * Ignores a test that lacks something: `Deno.test({ name, ...needs("dot"), fn })`. Call it once for each test, where
 * the test is declared: the runner counts reasons in the order of the tests.
 *
 * @param wanted Programs and others, those first without which the others cannot be looked for.
 */
export function needs(
  ...wanted: readonly (Program | Need)[]
): { readonly ignore: boolean } {
  const lacks = wanted.filter((one) => !has(one))
    .map((one) => typeof one === "string" ? programs.get(one)! : one);
  if (lacks.length > 0) noteLack(lacks);
  return { ignore: lacks.length > 0 };
}
