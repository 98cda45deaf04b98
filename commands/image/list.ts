import { isoTime } from "../../transport/node/timestamp.ts";
import { listImages } from "../../workflows/operations/node/node_images.ts";
import {
  bytesText,
  type Command,
  headedTable,
  type Values,
} from "../_kit/mod.ts";
import { namespaceFlag } from "./_namespace.ts";

/** An image of a node. Source: `ImageService.List`, before v1.13 `MachineService.ImageList`. */
interface ListedImageRow {
  readonly node: string;
  /** Full name, with tag or digest. */
  readonly image: string;
  /** Digest of its manifest: `sha256:…`. */
  readonly digest: string;
  /** Size in bytes. */
  readonly size: number;
  /** Labels that containerd keeps; empty before v1.13. */
  readonly labels: Readonly<Record<string, string>>;
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
  examples: ["image list", "image list --namespace inmem --nodes 10.0.0.2"],
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
    LABELS: {
      cell: ({ labels }) =>
        Object.entries(labels).map(([key, value]) => `${key}=${value}`).sort()
          .join(","),
      priority: 10,
    },
    CREATED: ({ created }) => created.replace(/\.\d+Z$/, "Z"),
  }),
  async *run({ input, nodes }) {
    const answers = nodes.stream((client) =>
      listImages(client, input.namespace)
    );
    for await (const { node, value } of answers) {
      const { name, digest, size, labels, createdAt } = value;
      yield {
        node,
        image: name,
        digest,
        size: Number(size),
        labels,
        created: isoTime(createdAt),
      };
    }
  },
} satisfies Command<ListedImageRow, Values<typeof inputs>>;
