// Control, format and separator characters except the space, private use, and unpaired surrogates.
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
const longest = 1000;

/** Whether a text has none of these characters. */
export const isVisibleText = (text: string): boolean => text.search(invisible) < 0;

/**
 * Returns a text of somebody else, for a terminal or an error message: characters that a terminal would obey or not show become escapes,
 * and a long text is cut.
 */
export function visibleText(text: string): string {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return shown.replace(invisible, (one) => {
    const code = one.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}
