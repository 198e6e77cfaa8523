/** A part of the report, for Markdown and HTML alike. Texts may have `code`, **strong** words and [links](file.md). */
export type Block =
  | { readonly type: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly type: 'paragraph'; readonly text: string }
  | { readonly type: 'figure'; readonly name: string; readonly title: string; readonly svg: string }
  | {
      readonly type: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly type: 'details'; readonly summary: string; readonly blocks: readonly Block[] };
