/** Everything secret that the nodes of a cluster have in common. */

/** A certificate authority, as documents hold it. */
export interface EncodedAuthority {
  /** Certificate: base64 of its PEM file. */
  readonly crt: string;
  /** Private key: base64 of its PEM file. */
  readonly key: string;
}

/** A private key, as documents hold it. */
export interface EncodedKey {
  /** Base64 of its PEM file. */
  readonly key: string;
}

/** The secrets of a cluster, from which all its configurations follow. */
export interface SecretsBundle {
  /** Identity of the cluster for the discovery service. */
  readonly cluster: {
    /** 32 bytes, URL-safe base64. */
    readonly id: string;
    /** Key of what members tell each other, 32 bytes, base64. */
    readonly secret: string;
  };
  /** Secrets of Kubernetes; of the two encryption secrets there is exactly one. */
  readonly secrets: {
    /** Token by which kubelets join: 6 and 16 characters with a point between. */
    readonly bootstrapToken: string;
    /** Key by which secrets in etcd are encrypted up to OS v1.2, 32 bytes, base64. */
    readonly aescbcEncryptionSecret?: string;
    /** Key by which secrets in etcd are encrypted, 32 bytes, base64. */
    readonly secretboxEncryptionSecret?: string;
  };
  /** What nodes get their certificates from. */
  readonly trustdInfo: {
    /** Token by which workers join, of the form of the bootstrap token. */
    readonly token: string;
  };
  /** Authorities and keys. */
  readonly certs: {
    /** Authority of etcd. */
    readonly etcd: EncodedAuthority;
    /** Authority of Kubernetes. */
    readonly k8s: EncodedAuthority;
    /** Authority of the API server's aggregation layer. */
    readonly k8sAggregator: EncodedAuthority;
    /** Key that signs tokens of service accounts. */
    readonly k8sServiceAccount: EncodedKey;
    /** Authority of the node API. */
    readonly os: EncodedAuthority;
  };
}
