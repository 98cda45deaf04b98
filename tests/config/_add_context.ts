// A process of its own that adds a context; told to hold, it keeps the lock until it is killed.
import { updateOsconfig } from "../../config/osconfig/update_osconfig.ts";

const [path = "", name = "", hold] = Deno.args;
await updateOsconfig({ path, writable: true }, async (config) => {
  if (hold === "hold") {
    await Deno.writeFile(
      `${path.replace(/[^/]*$/, "")}.config.dead.tmp`,
      new Uint8Array(9),
    );
    await Deno.stdout.write(new TextEncoder().encode("holding\n"));
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  }
  const contexts = new Map(config.contexts);
  contexts.set(name, { endpoints: [`10.0.0.${contexts.size}`], nodes: [] });
  return { ...config, contexts };
  // On a busy machine all others may take longer than a user would wait.
}, { waitMs: 300_000 });
