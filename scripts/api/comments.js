// Doc comments: their description and their block tags.

/**
 * Parses one doc comment. Tags inside code fences are code.
 *
 * @param {string} raw from the two stars to the end of the comment
 */
export function parseComment(raw) {
  const lines = raw
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
  const blocks = [{ tag: '', lines: [] }];
  let isCode = false;
  for (const line of lines) {
    const [, tag, rest] = (!isCode && /^\s*@(\w+)\s?(.*)$/.exec(line)) || [];
    if (tag !== undefined) blocks.push({ tag, lines: [rest] });
    else blocks.at(-1).lines.push(line);
    if (line.trim().startsWith('```')) isCode = !isCode;
  }
  return docOf(blocks.map(({ tag, lines: own }) => ({ tag, text: trimmed(own) })));
}

const trimmed = (lines) =>
  lines
    .join('\n')
    .replace(/^\s*\n/, '')
    .trim();

function docOf(blocks) {
  const texts = (...tags) => blocks.filter(({ tag }) => tags.includes(tag)).map(({ text }) => text);
  return {
    text: texts('')[0],
    params: texts('param', 'typeParam').map(paramOf),
    returns: texts('returns', 'return')[0] ?? '',
    throws: texts('throws').map(throwsOf),
    defaultValue: texts('defaultValue', 'default')[0] ?? '',
    examples: texts('example').map(exampleCode),
    see: texts('see'),
    deprecated: texts('deprecated')[0] ?? '',
    tags: blocks.map(({ tag }) => tag).filter((tag) => tag !== ''),
  };
}

export const noDoc = docOf([{ tag: '', text: '' }]);

/** Splits `name - text`; the dash may be missing. */
function paramOf(text) {
  const [, name, about] = /^(?:\{[^}]*\}\s*)?([\w.]+)\s*(?:-\s+)?([\s\S]*)$/.exec(text) ?? [null, text, ''];
  return { name, text: about };
}

/** Splits `{Type} text`; the braces may be missing. */
function throwsOf(text) {
  const [, type, about] = /^\{?(\w*Error)\}?\s+([\s\S]*)$/.exec(text) ?? [null, '', text];
  return { type, text: about };
}

/** Returns the code of an example, which may stand in a fence. */
function exampleCode(text) {
  const [, code] = /^```\w*\n([\s\S]*?)\n?```$/.exec(text) ?? [];
  return code ?? text;
}

/** Returns the first sentence of a text, on one line. */
export function firstSentence(text) {
  const paragraph = text.split(/\n\s*\n/)[0].replace(/\s+/g, ' ');
  return /^(.*?[.!?])(?= [A-Z`{[(]|$)/.exec(paragraph)?.[1] ?? paragraph;
}
