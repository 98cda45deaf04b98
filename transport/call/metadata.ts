import { runtimeName } from "../../talos.ts";
import { ConfigError } from "../../errors.ts";

/** Request metadata by lower-case key. */
export type Metadata = Readonly<Record<string, string>>;

/** User name and password for a proxying endpoint. */
export interface BasicCredentials {
  readonly username: string;
  readonly password: string;
}

/** Signs a request. `path`: HTTP/2 path: `/machine.MachineService/Version`. Returns the metadata to add. */
export type Sign = (path: string, metadata: Metadata) => Promise<Metadata>;

/** Credentials and cluster sent with every request. */
export interface Caller {
  /** Name of the cluster behind a proxying endpoint. */
  readonly cluster?: string | undefined;
  /** Credentials for `authorization: Basic`. */
  readonly basicAuth?: BasicCredentials | undefined;
  /** Adds a signature to each request. */
  readonly sign?: Sign | undefined;
  /** Called with the path directly before each call is sent; throws to reject the call. */
  readonly leave?: ((path: string) => Promise<void>) | undefined;
}

/**
 * Builds the metadata of one request.
 *
 * @param path HTTP/2 path of the method.
 * @param node Node to forward the call to; omitted for none.
 * @throws {ConfigError} If a value is not allowed in a header.
 */
export async function requestMetadata(
  path: string,
  { cluster, basicAuth, sign }: Caller,
  node?: string,
): Promise<Metadata> {
  const metadata = {
    runtime: runtimeName,
    ...cluster ? { context: cluster } : {},
    ...node ? { node } : {},
    ...basicAuth ? { authorization: basic(basicAuth) } : {},
  };
  Object.entries(metadata).forEach(checkValue);
  return sign ? { ...metadata, ...await sign(path, metadata) } : metadata;
}

/** Checks for characters allowed in a header (PROTOCOL-HTTP2, "ASCII-Value"). */
function checkValue([key, value]: readonly [string, string]): void {
  if (/^[\x20-\x7e]*$/.test(value)) return;
  throw new ConfigError(
    `Cannot send ${key} "${value}": it is not made of printable ASCII characters`,
  );
}

/** Value of an `authorization` header (RFC 7617). */
export function basic({ username, password }: BasicCredentials): string {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  return `Basic ${bytes.toBase64()}`;
}
