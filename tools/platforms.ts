/** The platforms osctl is built for. */

/** One platform. */
export interface Platform {
  /** Target triple as `deno compile` names it. */
  readonly target: string;
  /** Operating system and architecture as file names of releases carry them. */
  readonly name: string;
  /** npm package that holds the runtime of this platform. */
  readonly runtime: string;
  /** Folder below the home directory where caches live; absent where the portable form cannot run. */
  readonly caches?: string;
}

/** Every platform a release has a file for. */
export const platforms: readonly Platform[] = [
  {
    target: "x86_64-unknown-linux-gnu",
    name: "linux-amd64",
    runtime: "@deno/linux-x64-glibc",
    caches: ".cache",
  },
  {
    target: "aarch64-unknown-linux-gnu",
    name: "linux-arm64",
    runtime: "@deno/linux-arm64-glibc",
    caches: ".cache",
  },
  {
    target: "x86_64-apple-darwin",
    name: "darwin-amd64",
    runtime: "@deno/darwin-x64",
    caches: "Library/Caches",
  },
  {
    target: "aarch64-apple-darwin",
    name: "darwin-arm64",
    runtime: "@deno/darwin-arm64",
    caches: "Library/Caches",
  },
  {
    target: "x86_64-pc-windows-msvc",
    name: "windows-amd64",
    runtime: "@deno/win32-x64",
  },
];

/**
 * Finds a platform.
 *
 * @param wanted Target triple or name, such as `linux-arm64`.
 * @throws {Error} If osctl is not built for it.
 */
export function platformOf(wanted: string): Platform {
  const found = platforms.find(({ target, name }) =>
    wanted === target || wanted === name
  );
  if (found !== undefined) return found;
  const known = platforms.map(({ name }) => name).join(", ");
  throw new Error(`Cannot build for "${wanted}": known are ${known}`);
}
