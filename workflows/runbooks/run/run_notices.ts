/** What is told, and written down, of what happens beside the steps of a run. */

import type { Vault } from "../module.ts";
import type { Details } from "../journal/record.ts";
import type { RunJournal } from "../journal/writer.ts";
import type { EventFeed } from "./event_feed.ts";

/** Tells what became of the lock on the cluster. */
export function tellLease(
  { tell }: Pick<EventFeed, "tell">,
  { state, reason }: Details,
  holder: string,
): void {
  if (state === "taken") tell("lock.acquired", { data: { holder } });
  if (state === "lost") {
    tell("lock.lost", { data: { reason: String(reason) } });
  }
}

/** A vault whose new entries are written down when they are there. */
export function toldVault(
  vault: Vault,
  journal: RunJournal,
  { tell }: Pick<EventFeed, "tell">,
): Vault {
  return {
    ...vault,
    async put(name, value, fingerprint) {
      const handle = await vault.put(name, value, fingerprint);
      const data = {
        name,
        ...(fingerprint === undefined ? {} : { fingerprint }),
      };
      await journal.append({ t: "secret", d: data });
      tell("secret.created", { data });
      return handle;
    },
  };
}

/**
 * A journal, and the modules that have ended well in it.
 *
 * @param modules Their names; added to.
 */
export function followed(
  journal: RunJournal,
  modules: Set<string>,
): RunJournal {
  return {
    append(record) {
      const { t, d } = record;
      if (t === "result" && d?.state === "ok" && typeof d.module === "string") {
        modules.add(d.module);
      }
      return journal.append(record);
    },
  };
}
