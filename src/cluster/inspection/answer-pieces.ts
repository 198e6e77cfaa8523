// A report of many locks is larger than a frame may be. It travels as JSON, in pieces; the answer itself, without a report, is last.
import type { MemberId } from '../../member/index.ts';
import type { AnswerFrame, MemberReport, QueryFrame } from '../transport/transport.ts';

const pieceLength = 2 ** 18; // characters
const longestReport = 2 ** 26;

const asAscii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Returns the frames that answer a question. */
export function answerFrames(question: number, { report, clocks }: MemberReport): AnswerFrame[] {
  const text = asAscii(JSON.stringify(report ?? null));
  if (text.length <= pieceLength) return [{ type: 'answer', question, report, clocks }];
  const frames: AnswerFrame[] = [];
  for (let at = 0; at < text.length; at += pieceLength)
    frames.push({ type: 'answer-piece', question, text: text.slice(at, at + pieceLength) });
  return [...frames, { type: 'answer', question, report: null, clocks }];
}

/** Collects the answers to one question. */
export class AnswerCollector {
  readonly answers = new Map<MemberId, MemberReport>();
  readonly #asked: ReadonlySet<MemberId>;
  readonly #pieces = new Map<MemberId, { readonly texts: string[]; length: number }>();

  constructor(asked: Iterable<MemberId>) {
    this.#asked = new Set(asked);
  }

  /** Whether all have answered. */
  get isComplete(): boolean {
    return this.answers.size === this.#asked.size;
  }

  /** Ignores answers of peers that were not asked, second answers, and reports that are too long. */
  add(from: MemberId, frame: QueryFrame): void {
    if (!this.#asked.has(from) || this.answers.has(from)) return;
    if (frame.type === 'answer-piece') this.#addPiece(from, frame.text);
    else if (frame.type === 'answer') this.answers.set(from, this.#assembled(from, frame));
    else if (frame.type === 'pong') this.answers.set(from, { report: null, clocks: [] });
  }

  #addPiece(from: MemberId, text: string): void {
    const pieces = this.#pieces.get(from) ?? { texts: [], length: 0 };
    this.#pieces.set(from, pieces);
    pieces.length += text.length;
    if (pieces.length <= longestReport) pieces.texts.push(text);
    else pieces.texts.length = 0;
  }

  #assembled(from: MemberId, { report, clocks }: MemberReport): MemberReport {
    const pieces = this.#pieces.get(from);
    if (pieces === undefined) return { report, clocks };
    this.#pieces.delete(from);
    try {
      return { report: JSON.parse(pieces.texts.join('')), clocks };
    } catch {
      return { report: null, clocks };
    }
  }
}
