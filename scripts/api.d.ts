/** Returns the text of each page of the API reference, by its path. */
export function apiPages(): Promise<Map<string, string>>;

/** Writes the pages, and removes those of subpaths that are gone. */
export function writeApi(pages: ReadonlyMap<string, string>): void;
