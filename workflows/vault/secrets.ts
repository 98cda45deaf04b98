/** Secrets of a run, as modules see them. */

/** Name of a secret in the vault, for outputs, inputs and the journal. */
export interface SecretHandle {
  readonly secret: string;
  /** SHA-256 of the public part, hexadecimal; for keys and certificates. */
  readonly fingerprint?: string;
}

/** Secrets of a run. */
export interface Vault {
  /**
   * Stores a secret; resolves when it is synced to disk. Throws `RefusedError` if the name already has another value.
   */
  readonly put: (
    name: string,
    value: Uint8Array<ArrayBuffer>,
    fingerprint?: string,
  ) => Promise<SecretHandle>;
  /** Handle of an entry; `undefined` if there is none. */
  readonly find: (name: string) => SecretHandle | undefined;
  /** Reads a secret. Throws `ConfigError` if it does not exist. */
  readonly read: (handle: SecretHandle) => Promise<Uint8Array<ArrayBuffer>>;
  /** Names of the entries, in insertion order. */
  readonly names: () => readonly string[];
}
