/** Modules that a process loads once, imported before all tests so that they are not taken for leaks of the first. */

import { prepareSendAtOnce } from "../transport/connect/runtime_tls.ts";

prepareSendAtOnce();
