/** Supported build platforms. */

import { UsageError } from "../errors.ts";

/** One platform. */
export interface Platform {
  /** Target triple of `deno compile`. */
  readonly target: string;
  /** Operating system and architecture in release file names. */
  readonly name: string;
  /** npm package with the runtime. */
  readonly runtime: string;
  /** Cache folder below the home directory; absent if the portable form is not supported. */
  readonly caches?: string;
}

/** All platforms of a release. */
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
 * @throws {UsageError} If it is not supported.
 */
export function parsePlatform(wanted: string): Platform {
  const found = platforms.find(({ target, name }) =>
    wanted === target || wanted === name
  );
  if (found !== undefined) return found;
  const known = platforms.map(({ name }) => name).join(", ");
  throw new UsageError(`Cannot build for "${wanted}": known are ${known}`);
}
