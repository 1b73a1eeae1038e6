// Trunk's post-build hook: splits the released page's WebAssembly, compacts its other files and adds its policy. A page
// served for development is left unchanged.
import { compact } from "./compact.mjs";
import { writePolicy } from "./policy.mjs";
import { split } from "./split.mjs";

const { TRUNK_PROFILE, TRUNK_STAGING_DIR } = process.env;
if (TRUNK_PROFILE === "release") {
  compact(TRUNK_STAGING_DIR, await split(TRUNK_STAGING_DIR));
  writePolicy(TRUNK_STAGING_DIR);
}
