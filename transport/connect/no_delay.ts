/** Sending small packets at once, which the runtime's own TLS connections cannot be told. */

/** The C library, where its name is known. */
const libraries: Readonly<Record<string, string>> = {
  linux: "libc.so.6",
  darwin: "libSystem.B.dylib",
};

const functions = {
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getpeername: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  setsockopt: {
    parameters: ["i32", "i32", "i32", "buffer", "u32"],
    result: "i32",
  },
} as const;

type Library = Deno.DynamicLibrary<typeof functions>["symbols"];

/** `IPPROTO_TCP` and `TCP_NODELAY`, the same on all systems named above. */
const tcp = 6;
const noDelay = 1;

/** Descriptors that are looked through; a process that has more goes without. */
const mostDescriptors = 1024;

let library: Library | undefined;

/**
 * Gets ready for {@linkcode sendAtOnce}, which takes 1 ms once in a process.
 *
 * @returns False where it is not possible.
 */
export function prepareSendAtOnce(): boolean {
  try {
    const name = libraries[Deno.build.os];
    if (library !== undefined || name === undefined) {
      return library !== undefined;
    }
    // Asking would wait for an answer.
    const { state } = Deno.permissions.querySync({ name: "ffi" });
    if (state === "granted") library = Deno.dlopen(name, functions).symbols;
  } catch {
    // Another C library: it goes on as if there were none.
  }
  return library !== undefined;
}

/**
 * Sets `TCP_NODELAY` (RFC 896, RFC 1122 4.2.3.4).
 *
 * Without it, the second of two small packets waits until the first is acknowledged, which the other side puts off by
 * 40 ms. That is so in the middle of every handshake with a client certificate, and for every call beside another.
 *
 * @param connection An open connection; its socket is found by its addresses.
 * @returns False where it is not possible: everything works, later.
 */
export function sendAtOnce(
  { localAddr, remoteAddr }: Pick<
    Deno.Conn<Deno.NetAddr>,
    "localAddr" | "remoteAddr"
  >,
): boolean {
  if (!prepareSendAtOnce() || library === undefined) return false;
  const { getsockname, getpeername, setsockopt } = library;
  for (let descriptor = 0; descriptor < mostDescriptors; descriptor++) {
    if (portOf(getsockname, descriptor) !== localAddr.port) continue;
    if (portOf(getpeername, descriptor) !== remoteAddr.port) continue;
    const on = new Int32Array([1]);
    return setsockopt(descriptor, tcp, noDelay, on, on.byteLength) === 0;
  }
  return false;
}

/** Room for the address of an IPv6 socket. */
const address = new Uint8Array(28);
const addressSize = new Uint32Array(1);

function portOf(
  name: Library["getsockname"],
  descriptor: number,
): number | undefined {
  addressSize[0] = address.length;
  if (name(descriptor, address, addressSize) !== 0) return undefined;
  return address[2]! * 256 + address[3]!; // the same place for IPv4 and IPv6
}
