import { UsageError } from "../../errors.ts";
import { changedFields } from "../../config/osconfig/same_context.ts";
import {
  type AnyCommand,
  type Command,
  silently,
  text,
  type Values,
  word,
} from "../_kit/mod.ts";
import {
  changeOsconfig,
  checkContextArgument,
  withContext,
} from "../_kit/osconfig.ts";
import { readIdentity } from "./_identity_files.ts";

const inputs = {
  context: word("name of the context"),
  ca: text("certificate of the authority that signs the nodes', PEM", {
    complete: "files",
  }),
  crt: text("client certificate, PEM", { complete: "files" }),
  key: text("key of the client certificate, PEM", { complete: "files" }),
};

type AddInputs = Values<typeof inputs>;

/** `osctl config add`: puts a context made of PEM files into the client configuration. */
export const command: AnyCommand = {
  summary: "Add a context",
  description:
    `The files are checked: certificate and key must belong together. A context of the same name gets the new certificates
and keeps what is not given, its endpoints and nodes for example. The current context stays.`,
  inputs,
  examples: [
    "config add production --ca ca.crt --crt admin.crt --key admin.key",
  ],
  ...silently<AddInputs>(
    async ({ input, globals, environment, signal, note }) => {
      const { context: name, ...files } = input;
      checkContextArgument(name, "config add", globals);
      if ((files.crt === undefined) !== (files.key === undefined)) {
        const [has, lacks] = files.crt === undefined
          ? ["key", "crt"]
          : ["crt", "key"];
        throw new UsageError(`Flag --${has} is given, --${lacks} is not`, {
          hint: "A certificate and its key go together",
        });
      }
      const identity = await readIdentity(files, {
        now: environment.now(),
        noExpiryWarning: globals.noExpiryWarning,
        note,
      });
      let replaced: readonly string[] = [];
      await changeOsconfig({ globals, environment, signal }, (config) => {
        const present = config.contexts.get(name);
        const before = present ?? { endpoints: [], nodes: [] };
        const context = { ...before, ...identity };
        replaced = present ? changedFields(present, context) : [];
        return withContext(config, name, context);
      });
      if (replaced.length > 0) {
        const fields = replaced.join(", ");
        note(`replaced ${fields} of context "${name}", kept the rest`);
      }
    },
  ),
} satisfies Command<never, AddInputs>;
