/** Kubeconfigs for tests. */

export interface Given {
  /** Name of the cluster, default `c`. */
  readonly cluster?: string;
  /** Text of the CA, default `ca-1`. */
  readonly ca?: string;
  /** Text of the client certificate, default `crt-1`. */
  readonly crt?: string;
  /** URL, default `https://10.0.0.2:6443`. */
  readonly server?: string;
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

/**
 * Writes a kubeconfig as nodes do.
 *
 * @param given What differs.
 */
export function nodeKubeconfig(
  {
    cluster = "c",
    ca = "ca-1",
    crt = "crt-1",
    server = "https://10.0.0.2:6443",
  }: Given = {},
): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: ${cluster}
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(ca)}
users:
- name: admin@${cluster}
  user:
    client-certificate-data: ${base64(crt)}
    client-key-data: ${base64(`key of ${crt}`)}
contexts:
- context:
    cluster: ${cluster}
    namespace: default
    user: admin@${cluster}
  name: admin@${cluster}
current-context: admin@${cluster}
`;
}
