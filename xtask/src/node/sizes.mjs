// Prints each file's size and its size under brotli, in bytes.
import { readFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";

const files = process.argv.slice(1).filter((argument) => argument !== "--");
for (const file of files) {
  const bytes = readFileSync(file);
  console.log(`${bytes.length} ${brotliCompressSync(bytes).length}`);
}
