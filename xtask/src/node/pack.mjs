// Compresses FROM into TO: brotli at its highest quality, with the largest window
// that every decoder supports.
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const [from, to] = process.argv.slice(1).filter((argument) => argument !== "--");
const bytes = readFileSync(from);
const params = {
  [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
};
writeFileSync(to, brotliCompressSync(bytes, { params }));
