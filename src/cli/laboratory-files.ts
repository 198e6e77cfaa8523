// The files of the package batonjs-lab that are not imported: threads, child programs, the page of the lab, the texts of algorithms.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = dirname(createRequire(import.meta.url).resolve('batonjs-lab/package.json'));

/** Returns the path of a built file. */
export const laboratoryFile = (path: string): string => join(root, 'dist', path);
