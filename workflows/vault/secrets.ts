/** Secrets of a run, as modules see them. */

/** Name of a secret in the vault, as it is in outputs, inputs and the journal. */
export interface SecretHandle {
  readonly secret: string;
  /** SHA-256 of the public part, hexadecimal; for keys and certificates. */
  readonly fingerprint?: string;
}

/** Secrets of a run. */
export interface Vault {
  /** Keeps a secret; resolves when it survives a crash. Throws `RefusedError` if the name is taken by another value. */
  readonly put: (
    name: string,
    value: Uint8Array<ArrayBuffer>,
    fingerprint?: string,
  ) => Promise<SecretHandle>;
  /** The handle of an entry; `undefined` when there is none. */
  readonly find: (name: string) => SecretHandle | undefined;
  /** Reads a secret. Throws `ConfigError` if there is none of that name. */
  readonly read: (handle: SecretHandle) => Promise<Uint8Array<ArrayBuffer>>;
  /** Names of the entries, in the order they were put. */
  readonly names: () => readonly string[];
}
