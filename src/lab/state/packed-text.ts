// A text in a link: deflated, in base64url.
import { InputError } from '../../core/assert.ts';

// In characters. Limits decompression, because a short link can expand to a huge text.
const maxTextLength = 200_000;
export const maxTraceLength = 3_000_000;

export const maxPermalinkLength = 100_000; // in characters; many programs truncate longer links

const transformed = (bytes: Uint8Array<ArrayBuffer>, transform: CompressionStream | DecompressionStream) =>
  new Blob([bytes]).stream().pipeThrough(transform);

export async function pack(text: string): Promise<string> {
  const stream = transformed(new TextEncoder().encode(text), new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export async function unpack(packed: string, maxLength = maxTextLength): Promise<string> {
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const reader = transformed(bytes, new DecompressionStream('deflate-raw'))
      .pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))
      .getReader();
    let text = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += part.value;
      if (text.length > maxLength) throw new InputError('the text in the link is too long');
    }
    return text;
  } catch (error) {
    throw error instanceof InputError
      ? error
      : new InputError('the text in the link is damaged: copy it again');
  }
}
