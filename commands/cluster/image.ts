import { Readable } from "node:stream";
import { standInImage } from "../../provisioners/stand_in/image.ts";
import { importImage } from "../../provisioners/docker/import_image.ts";
import { openEngine } from "../../provisioners/docker/engine.ts";
import {
  type AnyCommand,
  type Command,
  imageName,
  lines,
  text,
  type Values,
} from "../_kit/mod.ts";
import { working } from "../../transport/call/open_calls.ts";

/** An imported image. */
export interface ImportedImageRow {
  readonly image: string;
  readonly id: string;
}

const inputs = {
  image: {
    ...text("name of the image", { initial: "osctl-stand-in:v1.12.11" }),
    parse: imageName,
  },
};

/** `osctl cluster image`: imports an image of simulated nodes into the container engine. */
export const command: AnyCommand = {
  summary: "Import an image of simulated nodes into the container engine",
  description:
    `Its containers answer like nodes and are configured like nodes, but contain no operating system: the image is for trying
out runbooks in containers. Its tag is the operating system version that configurations are generated for.`,
  inputs,
  examples: [
    "cluster image",
    "cluster create docker --image osctl-stand-in:v1.12.11",
  ],
  view: lines(({ image }) => `Image ${image} is imported`),
  async *run({ input: { image }, environment }) {
    const engine = await openEngine(environment.env);
    const { archive, changes } = await standInImage();
    const id = await working(
      "importing the image",
      () =>
        importImage(engine, {
          image,
          changes,
          archive: Readable.from(archive),
        }),
    );
    yield { image, id };
  },
} satisfies Command<ImportedImageRow, Values<typeof inputs>>;
