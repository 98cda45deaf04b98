import type { RpcError } from "../../errors.ts";
import { isoTime } from "../../transport/node/timestamp.ts";
import { reported } from "../../transport/call/reply.ts";
import { imageNamespaces } from "../../workflows/operations/node/image_pull.ts";
import {
  bytesText,
  type Command,
  headedTable,
  type Values,
} from "../_kit/mod.ts";
import { namespaceFlag } from "./_namespace.ts";

/** An image of a node. Source: `MachineService.ImageList`. */
export interface ListedImageRow {
  readonly node: string;
  /** Full name, with tag or digest. */
  readonly image: string;
  /** Digest of its manifest: `sha256:…`. */
  readonly digest: string;
  /** Size in bytes. */
  readonly size: number;
  /** Time it was pulled, ISO 8601. */
  readonly created: string;
}

const inputs = { namespace: namespaceFlag };

export const command = {
  summary: "List container images of nodes",
  aliases: [
    "image l",
    "image ls",
    "images list",
    "images l",
    "images ls",
  ],
  inputs,
  examples: ["image list", "image list --namespace system --nodes 10.0.0.2"],
  view: headedTable({
    NODE: { cell: ({ node }) => node, name: true },
    IMAGE: {
      cell: ({ image }) => image,
      short: ({ image }) => image.replace(/(@\w+:\w{12})\w+$/, "$1"),
      name: true,
    },
    DIGEST: { cell: ({ digest }) => digest, priority: 9 },
    SIZE: {
      cell: ({ size }) => bytesText(size),
      value: ({ size }) => size,
      priority: 0,
    },
    CREATED: ({ created }) => created.replace(/\.\d+Z$/, "Z"),
  }),
  async *run({ input, nodes }) {
    const request = { namespace: imageNamespaces[input.namespace] };
    const answers = nodes.stream(async function* ({ machine }) {
      let failure: RpcError | undefined;
      for await (const image of machine.imageList(request)) {
        const said = reported(image);
        if (said === undefined) yield image;
        else failure ??= said;
      }
      if (failure !== undefined) throw failure;
    });
    for await (const { node, value } of answers) {
      const { name, digest, size, createdAt } = value;
      yield {
        node,
        image: name,
        digest,
        size: Number(size),
        created: isoTime(createdAt),
      };
    }
  },
} satisfies Command<ListedImageRow, Values<typeof inputs>>;
