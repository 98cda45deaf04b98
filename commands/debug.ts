import { working } from "../transport/call/open_calls.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { exists } from "../lib/files/exists.ts";
import { OsctlError, UsageError } from "../errors.ts";
import { imageFault } from "../workflows/image_cache/reference.ts";
import { pullInSteps } from "../workflows/operations/node/image_pull.ts";
import { containerdInstances } from "../workflows/operations/node/node_images.ts";
import { archiveRequests } from "./_debug/archive.ts";
import { runContainer } from "./_debug/container.ts";
import {
  bytes,
  choice,
  type Command,
  type Context,
  strings,
  type Values,
  word,
} from "./_kit/mod.ts";
import { oneNode } from "./_kit/one_node.ts";

const inputs = {
  image: word("image name, or path of an image archive", { complete: "files" }),
  args: strings("command and arguments, separated by commas"),
  namespace: choice(
    'where the image is stored: "inmem" for memory, "system" or "cri" for the disk',
    ["inmem", "system", "cri"],
    { initial: "inmem" },
  ),
};

type DebugInputs = Values<typeof inputs>;

export const command = {
  summary: "Run a debug container on a node",
  description:
    `Needs a node of v1.13 or later, and the role os:admin. The node pulls the image, or gets it from an archive on this
machine (a .tar file of "docker save" or an OCI layout); then it runs a privileged container in the namespaces of the
host, with the root file system of the node at /host, and removes it afterwards, also after a lost connection. The image
stays; remove it with "image remove --namespace inmem".

On a terminal, the container has a terminal of the same size, and all keys are for the container, Ctrl-C too. Without
one, standard input and output are passed through, and the first SIGINT or SIGTERM; a second one removes the container.

The status is 0 if the container exits with 0, otherwise 1, and a message names the exit status.`,
  inputs,
  examples: [
    "debug docker.io/library/alpine:3 --args sh --nodes 10.0.0.2",
    "debug ./debug-tools.tar --args ls,/host --nodes 10.0.0.2",
  ],
  noStep: "it is interactive",
  output: "own",
  streams: true,
  discloses: true,
  view: bytes(),
  async *run(context) {
    const { input: { image, args, namespace } } = context;
    const isFile = await exists(image);
    if (!isFile) checkName(image);
    const client = await oneNode(context, "debug");
    const imageName = isFile
      ? await importImage(client, context)
      : await pullImage(client, context);
    const containerd = containerdInstances[namespace];
    const spec = { containerd, imageName, args: [...args] };
    const exit = yield* runContainer(client, spec, context);
    if (exit === 0) return;
    throw new OsctlError(
      exit === undefined
        ? `${client.node} ended the container without an exit status`
        : `The container exited with status ${exit}`,
    );
  },
} satisfies Command<Uint8Array, DebugInputs>;

function checkName(image: string): void {
  const fault = /\.tar(\.\w+)?$/.test(image) ? "" : imageFault(image);
  if (fault === undefined) return;
  const why = fault === "" ? "" : ` and is not an image name: ${fault}`;
  throw new UsageError(`"${image}" does not exist${why}`);
}

/** Pulls an image. Returns its name on the node. */
async function pullImage(
  client: NodeClient,
  { input, note, signal }: Context<DebugInputs>,
): Promise<string> {
  const steps = pullInSteps({ client, signal }, input);
  let step = "";
  const name = await working(
    () => `pulling ${input.image}${step}`,
    async () => {
      for (;;) {
        const { done, value } = await steps.next();
        if (done) return value;
        step = `: ${value.text}`;
      }
    },
  );
  note(`${client.node}: pulled ${name}`);
  return name;
}

/** Sends an archive to a node. Returns the name of its image. */
async function importImage(
  { image: service, node }: NodeClient,
  { input: { image, namespace }, note, signal }: Context<DebugInputs>,
): Promise<string> {
  const requests = archiveRequests(image, containerdInstances[namespace]);
  const { name } = await service.import(requests, { signal });
  note(`${node}: imported ${name} from ${image}`);
  return name;
}
