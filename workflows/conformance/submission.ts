/** What is submitted to certify that a cluster conforms to Kubernetes. */

import { treeOf } from "../../config/tree/node.ts";
import { writeTree } from "../../config/tree/write.ts";
import { product } from "../../dialect.ts";

/** What was tested. */
export interface Conformed {
  /** Version of the operating system, with `v`. */
  readonly system: string;
  /** Version of Kubernetes, with `v`. */
  readonly kubernetes: string;
}

/**
 * Makes the files that go beside the log and the results. Source: the instructions of the CNCF's k8s-conformance
 * repository.
 *
 * @param contact Mail address of who submits them.
 * @returns Contents by file name.
 */
export function submissionFiles(
  { system, kubernetes }: Conformed,
  contact: string,
): ReadonlyMap<string, string> {
  const { vendor, name, website, repository, documentation, logo } = product;
  const description = {
    vendor,
    name,
    version: system,
    website_url: website,
    repo_url: repository,
    documentation_url: documentation,
    product_logo_url: logo,
    type: "installer",
    description: product.description,
    contact_email_address: contact,
  };
  return new Map([
    ["PRODUCT.yaml", writeTree(treeOf(description))],
    [
      "README.md",
      `# ${name} ${system}, Kubernetes ${kubernetes}

## Create the cluster

Install ${name} ${system} on at least one control plane and two workers, with
Kubernetes ${kubernetes}, as [its documentation](${documentation}) says.

## Run the tests

With osctl installed and a client configuration for the cluster, run

\`\`\`
osctl conformance kubernetes --mode certified
\`\`\`

It runs all tests marked \`[Conformance]\` one after the other, and writes
\`e2e.log\` and \`junit_01.xml\` beside this file.
`,
    ],
  ]);
}
