/** Builds Debian packages: executable, manual pages, completions. */

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { scripts } from "../../commands/completion.ts";
import { product } from "../../talos.ts";
import { runCommand } from "../run_tool.ts";
import type { ReleaseFacts } from "./formula.ts";

const root = new URL("../../", import.meta.url);

/** Completion scripts, where shells look for them. */
const completions = {
  bash: "usr/share/bash-completion/completions/osctl",
  fish: "usr/share/fish/vendor_completions.d/osctl.fish",
  zsh: "usr/share/zsh/vendor-completions/_osctl",
} as const;

/**
 * Builds a package for each platform next to its executable: `osctl_0.2.0_amd64.deb`. Reproducible.
 *
 * @param folder Folder of the packages.
 * @param executables Paths by platform, such as `linux-amd64`.
 * @returns Paths of the packages.
 * @throws {Error} If an executable or `dpkg-deb` is missing.
 */
export async function packDebian(
  folder: string,
  executables: ReadonlyMap<string, string>,
  { tag, repository }: ReleaseFacts,
): Promise<readonly string[]> {
  const written: string[] = [];
  // Debian sorts a tilde before everything, and a dash after it: 0.2.0~rc.1 is older than 0.2.0.
  const version = tag.slice(1).replaceAll("-", "~");
  const tree = await Deno.makeTempDir({ prefix: "osctl-deb-" });
  const put = async (name: string, bytes: Uint8Array, mode = 0o644) => {
    const target = `${tree}/${name}`;
    await Deno.mkdir(target.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeFile(target, bytes);
    await Deno.chmod(target, mode);
  };
  try {
    await putDocuments(put);
    for (const shell of ["bash", "fish", "zsh"] as const) {
      const script = new TextEncoder().encode(scripts[shell]);
      await put(completions[shell], script);
    }
    for (const [platform, file] of executables) {
      const architecture = platform.replace("linux-", "");
      const executable = await Deno.readFile(file);
      await put("usr/bin/osctl", executable, 0o755);
      const size = Math.ceil(executable.length / 1024);
      const fields = control({ version, architecture, size, repository });
      await put("DEBIAN/control", new TextEncoder().encode(fields));
      const folders = [tree, "-type", "d", "-exec", "chmod", "755", "{}", "+"];
      await runCommand(["find", ...folders]);
      const path = `${folder}/osctl_${version}_${architecture}.deb`;
      const flags = ["--root-owner-group", "-Zgzip"];
      // Times in the archive are those of the commit that is released.
      const epoch = Deno.env.get("SOURCE_DATE_EPOCH") ?? "0";
      await runCommand(["dpkg-deb", "--build", ...flags, tree, path], {
        SOURCE_DATE_EPOCH: epoch,
      });
      written.push(path);
    }
    return written;
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
}

interface PackageFacts {
  readonly version: string;
  readonly architecture: string;
  /** Installed size in KiB. */
  readonly size: number;
  readonly repository: string;
}

function control({ version, architecture, size, repository }: PackageFacts) {
  const owner = repository.replace(/\/.*/, "");
  const home = `https://github.com/${repository}`;
  // What the launcher runs (gzip, tar, coreutils) is essential in Debian: on every system, and not to be depended on.
  return `Package: osctl
Version: ${version}
Architecture: ${architecture}
Maintainer: The osctl authors <${owner}@users.noreply.github.com>
Installed-Size: ${size}
Depends: libc6 (>= 2.31)
Recommends: ca-certificates
Section: admin
Priority: optional
Homepage: ${home}
Bugs: ${home}/issues
Vcs-Git: ${home}.git
Description: client and runbook runner for Kubernetes on ${product.name}
 osctl manages Kubernetes nodes that run ${product.name}: it talks to the API of
 each node over mutual TLS, shows what nodes do, changes them one at a time,
 and runs resumable procedures over many nodes.
`;
}

async function putDocuments(
  put: (name: string, bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const compress = promisify(gzip);
  const manuals = new URL("docs/man/", root);
  for await (const { name } of Deno.readDir(manuals)) {
    const page = await Deno.readFile(new URL(name, manuals));
    await put(`usr/share/man/man1/${name}.gz`, await compress(page));
  }
  const changes = await Deno.readFile(new URL("CHANGELOG.md", root));
  await put("usr/share/doc/osctl/changelog.gz", await compress(changes));
  const license = await Deno.readFile(new URL("LICENSE", root));
  await put("usr/share/doc/osctl/copyright", license);
}
