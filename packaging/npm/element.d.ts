/** Defines `<berth-playground>`, as the page at this address has it (docs/embedding.md lists its attributes). */
export function define(page: string | URL): Promise<void>;
