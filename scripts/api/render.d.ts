import type { ApiPage } from './model.js';

/** Renders the reference: the text of each page, by its path. Throws if a link has no target. */
export function renderApi(root: string, pages: readonly ApiPage[]): Map<string, string>;
