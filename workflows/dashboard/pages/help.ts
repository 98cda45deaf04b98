import { pageActions } from "../actions.ts";
import { keyMap, sortLetters } from "../key_map.ts";
import { pages } from "./all.ts";
import { textRows } from "./layout.ts";
import type { Page, PageContent } from "./page.ts";

const keyWidth = 14;

/**
 * The keys of a page, with their descriptions.
 *
 * @param kind Kind of its content.
 * @param readOnly Reason why it has no actions; absent if it has.
 */
export function helpContent(
  page: Page,
  kind: PageContent["kind"],
  readOnly: string | undefined,
): PageContent {
  const keys = keyMap.filter(({ on = [kind] }) => on.includes(kind));
  return {
    head: [[{ text: `Keys of ${page.name}`, style: "title" }]],
    rows: textRows([
      ...readOnly === undefined
        ? pageActions(page).map(({ key, text, words }) =>
          line(key, `${text}: osctl ${words("ID").join(" ").trim()} ...`)
        )
        : [`No actions: the dashboard is read-only: ${readOnly}`],
      [{ text: "Other keys", style: "title" }],
      ...keys.map(({ shown, text }) => line(shown, text)),
      ...kind === "list" ? [line(sortLetters.shown, sortLetters.text)] : [],
      [{ text: "Pages", style: "title" }],
      ...pages.map(({ keys, name, text }) =>
        line(
          keys.map((key) => key.toUpperCase()).join(", "),
          `${name}: ${text}`,
        )
      ),
      "",
      "Ctrl-z suspends; with Shift, the mouse selects text.",
    ]),
    kind: "text",
  };
}

function line(keys: string, text: string): string {
  return `${keys.padEnd(keyWidth)}${text}`;
}
