import { selectContext } from "../../config/osconfig/select_context.ts";
import { silently, word } from "../_kit/mod.ts";
import {
  changeOsconfig,
  checkContextArgument,
  findOsconfig,
} from "../_session/osconfig.ts";
import { nearest } from "../../lib/text/nearest.ts";

const inputs = {
  context: word("name of the context", { complete: "contexts" }),
};

export const command = silently({
  summary: "Set the current context",
  aliases: ["config use-context"],
  inputs,
  examples: ["config context production"],
  async work({ input, globals, environment, signal, note }) {
    checkContextArgument(input.context, "config context", globals);
    const request = { globals, environment, signal, backup: false };
    const { path: file } = await findOsconfig(request);
    await changeOsconfig(request, (config) => {
      selectContext(config, { context: input.context, file, nearest });
      return { ...config, current: input.context };
    });
    note(`Current context: ${input.context}`);
  },
});
