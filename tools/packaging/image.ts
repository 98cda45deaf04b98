/** Makes the build context of the container image: the executable, the libraries it needs, and nothing else. */

import { runCommand } from "../run_tool.ts";
import type { ReleaseFacts } from "./formula.ts";

function dockerfile({ tag, repository }: ReleaseFacts): string {
  return `FROM scratch
LABEL org.opencontainers.image.title="osctl" \\
  org.opencontainers.image.version="${tag.slice(1)}" \\
  org.opencontainers.image.source="https://github.com/${repository}" \\
  org.opencontainers.image.licenses="Apache-2.0"
COPY root/ /
COPY --chown=65532:65532 home/ /home/osctl/
ENV HOME=/home/osctl PATH=/usr/local/bin:/bin
USER 65532:65532
WORKDIR /home/osctl
ENTRYPOINT ["/usr/local/bin/osctl"]
`;
}

const files = {
  "etc/passwd":
    "root:x:0:0:root:/:/none\nosctl:x:65532:65532:osctl:/home/osctl:/none\n",
  "etc/group": "root:x:0:\nosctl:x:65532:\n",
  "etc/nsswitch.conf": "hosts: files dns\n",
} as const;

/** Programs that the launcher of the self-extracting form runs. */
const applets = [
  ...["cat", "chmod", "gzip", "id", "ls", "mkdir", "mktemp", "mv", "rm", "sh"],
  ...["sha256sum", "sleep", "sync", "tail", "tar"],
];

/**
 * Writes the context for `docker build`, from an executable for this machine.
 *
 * @param executable Its path.
 * @param context Folder to write; replaced if it exists.
 * @param release Named by the labels of the image.
 * @throws {Error} If it cannot run here, or a program or library is missing.
 */
export async function writeImageContext(
  executable: string,
  context: string,
  release: ReleaseFacts,
): Promise<void> {
  await Deno.remove(context, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  const [root, home] = [`${context}/root`, `${context}/home`];
  await Deno.mkdir(home, { recursive: true, mode: 0o755 });
  await copyInto(root, executable, "/usr/local/bin/osctl");
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(`${root}/etc`, { recursive: true });
    await Deno.writeTextFile(`${root}/${name}`, text);
  }
  await copyInto(root, "/etc/ssl/certs/ca-certificates.crt");
  await Deno.mkdir(`${root}/tmp`);
  await Deno.chmod(`${root}/tmp`, 0o1777);
  const programs = await isScript(executable)
    ? [await unpack(executable, home), await addShell(root)]
    : [executable];
  for (const program of programs) {
    for (const library of await findLibraries(program)) {
      await copyInto(root, library);
    }
  }
  await Deno.writeTextFile(`${context}/Dockerfile`, dockerfile(release));
}

/** Copies a file, also behind a link, to a path in the image, by default to the same. */
async function copyInto(
  root: string,
  from: string,
  to = from,
): Promise<void> {
  const target = `${root}${to}`;
  await Deno.mkdir(target.replace(/\/[^/]*$/, ""), { recursive: true });
  await Deno.copyFile(from, target);
}

async function isScript(path: string): Promise<boolean> {
  using file = await Deno.open(path);
  const start = new Uint8Array(2);
  await file.read(start);
  return new TextDecoder().decode(start) === "#!";
}

/** Lets the self-extracting form unpack into the home of the image, so that no container has to; gives its runtime. */
async function unpack(executable: string, home: string): Promise<string> {
  const cache = `${await Deno.realPath(home)}/.cache`;
  await Deno.mkdir(cache, { mode: 0o700 });
  await runCommand([executable, "version", "--client"], {
    XDG_CACHE_HOME: cache,
    // In /tmp it may find itself unpacked, and start from there.
    TMPDIR: cache,
  });
  for await (const { name } of Deno.readDir(`${cache}/osctl`)) {
    return `${cache}/osctl/${name}/deno`;
  }
  throw new Error(`Cannot unpack ${executable} into ${cache}`);
}

async function addShell(root: string): Promise<string> {
  const path = (await runCommand(["sh", "-c", "command -v busybox"])).trim();
  await copyInto(root, path, "/bin/busybox");
  for (const name of applets) {
    await Deno.symlink("busybox", `${root}/bin/${name}`);
  }
  return path;
}

async function findLibraries(program: string): Promise<readonly string[]> {
  const listed = await runCommand(["ldd", program]);
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
}
