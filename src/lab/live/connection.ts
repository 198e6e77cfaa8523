import { accessToken } from './access-token.ts';

export type DisconnectReason = 'refused' | 'over';

const request = (path: string, options: RequestInit): Promise<Response> =>
  fetch(path, { ...options, headers: { authorization: `Bearer ${accessToken()}` } });

/**
 * Reports each event of the stream, and returns why the stream ended.
 * Uses `fetch`, because an EventSource cannot send the authorization header.
 */
export async function streamEvents(
  signal: AbortSignal,
  onEvent: (event: string, data: unknown) => void,
): Promise<DisconnectReason> {
  try {
    const response = await request('live/events', { signal });
    if (!response.ok) return 'refused';
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return 'over';
      const parts = (text + value).split('\n\n');
      text = parts.pop()!;
      for (const part of parts) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part)!;
        onEvent(event!, JSON.parse(data!));
      }
    }
  } catch {
    return 'over';
  }
}

/** Requests an action of the demonstration. Returns null, or why it failed. */
export async function postDemoAction(
  action: string,
  parameters: { readonly process?: number; readonly algorithm?: string } = {},
): Promise<string | null> {
  try {
    const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, `${value}`]));
    const response = await request(`live/demo/${action}?${query}`, { method: 'POST' });
    return response.ok ? null : await response.text();
  } catch {
    return 'the lab does not answer';
  }
}
