/** Files to submit for the certification of a conformant cluster. */

import { Buffer } from "node:buffer";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { toTree } from "../../config/tree/node.ts";
import { writeTree } from "../../config/tree/write.ts";
import { product } from "../../talos.ts";

interface Conformed {
  /** OS version, with `v`. */
  readonly system: string;
  /** Kubernetes version, with `v`. */
  readonly kubernetes: string;
}

/**
 * Creates the files that accompany log and results. Source: the instructions of the CNCF's k8s-conformance repository.
 *
 * @param contact Mail address of the submitter.
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
    ["PRODUCT.yaml", writeTree(toTree(description))],
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

/**
 * Packs the submission as a gzipped tar archive, to extract in a clone of the CNCF's repository.
 *
 * @param folder Target folder there, `v1.34/talos`.
 * @param files Contents by file name.
 * @param mtime Modification time.
 */
export async function submissionArchive(
  folder: string,
  files: ReadonlyMap<string, string>,
  mtime: Date,
): Promise<Uint8Array> {
  const archive = pack();
  for (const [name, content] of files) {
    archive.entry({ name: `${folder}/${name}`, mode: 0o644, mtime }, content);
  }
  archive.finalize();
  const parts = await Array.fromAsync<Uint8Array>(archive);
  return new Uint8Array(await promisify(gzip)(Buffer.concat(parts)));
}
