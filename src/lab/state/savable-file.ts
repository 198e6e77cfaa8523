/** A file that the page can save, as an entry of the menu Export. */
export interface SavableFile {
  readonly label: string;
  readonly hint: string;
  readonly name: () => string;
  readonly make: () => Promise<Blob>;
}
