/** Modules and checks as runbooks of this program find them. */

import { entries } from "../commands/_index.ts";
import { makeFinders } from "../commands/_runbook/finders.ts";
import type { Finders } from "../workflows/runbooks/language/lookup.ts";

/** Of all commands, for checks only. */
export const finders: Finders = makeFinders(entries);
