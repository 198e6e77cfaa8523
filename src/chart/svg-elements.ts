export type Attributes = Readonly<Record<string, string | number>>;

export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${attribute(value)}"`);
  const open = `<${name}${written.join('')}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join('')}</${name}>`;
}

export const text = (content: string, attributes: Attributes): string =>
  element('text', attributes, escapeXml(content));

export const escapeXml = (content: string): string =>
  content.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!);

/** Rounds to tenths of a pixel, which also hides differences between engines. */
const attribute = (value: string | number): string =>
  typeof value === 'number' ? `${Math.round(value * 10) / 10}` : escapeXml(value);

/** An upper estimate of the width of a text, for most fonts. */
export const textWidth = (content: string, fontSize: number): number => content.length * fontSize * 0.6;
