/** Nodes that trust whom a test says, in both kinds of CAs. */

import { base64, testCa } from "../../_test_ca.ts";
import type { FakeNode } from "../../_fake.ts";

/** A CA. */
export interface TestTrust {
  readonly fingerprint: string;
  readonly pem: string;
}

/** Makes two CAs. */
export async function twoCas(): Promise<readonly [TestTrust, TestTrust]> {
  return await Promise.all([testCa(), testCa()]);
}

/**
 * A node with a configuration.
 *
 * @param type Type of the machine.
 * @param issuing Whose certificates are issued; `undefined` where the configuration does not say.
 * @param accepted Whose certificates are accepted besides.
 */
export function trusting(
  type: "controlplane" | "worker",
  issuing: TestTrust | undefined,
  accepted: readonly TestTrust[],
): FakeNode {
  const crt = ({ pem }: TestTrust) => ({ crt: base64(pem) });
  const section = {
    ...issuing === undefined ? {} : { ca: { ...crt(issuing), key: "" } },
    acceptedCAs: accepted.map(crt),
  };
  const yamlSpec = JSON.stringify({
    version: "v1alpha1",
    machine: { type, ...section },
    cluster: section,
  });
  return { get: () => ({ resource: { spec: { yamlSpec } } }) };
}
