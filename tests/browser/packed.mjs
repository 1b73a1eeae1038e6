// What `cargo xtask corpus` packed: `CATEGORY/NAME LENGTH\n`, that many bytes, `\n`, and so on, compressed.
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** The texts of a packed file (from `tests/it`), by `CATEGORY/NAME`. */
export function packed(file) {
  const bytes = brotliDecompressSync(readFileSync(new URL(`../it/${file}`, import.meta.url)));
  const texts = new Map();
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\n", at);
    const [id, length] = bytes.subarray(at, end).toString().split(" ");
    texts.set(id, bytes.subarray(end + 1, end + 1 + Number(length)).toString());
    at = end + 1 + Number(length) + 1;
  }
  return texts;
}
