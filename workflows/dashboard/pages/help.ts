import { keyMap } from "../key_map.ts";
import { pages } from "./all.ts";
import { textRows } from "./layout.ts";
import type { PageContent } from "./page.ts";

const keyWidth = 14;

/** All pages and keys, with their descriptions. */
export const helpContent: PageContent = {
  head: [[{ text: "Keys", style: "title" }]],
  rows: textRows([
    ...pages.map(({ keys, name, text }) =>
      line(keys.map((key) => key.toUpperCase()).join(", "), `${name}: ${text}`)
    ),
    "",
    ...keyMap.map(({ shown, text }) => line(shown, text)),
    "",
    "Ctrl-z suspends; with Shift, the mouse selects text.",
  ]),
  kind: "text",
};

function line(keys: string, text: string): string {
  return `${keys.padEnd(keyWidth)}${text}`;
}
