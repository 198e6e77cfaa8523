// Queries between processes of one group: of its members, of processes that join, and of observers.
import type { MemberId, Peer } from '../../member/index.ts';
import { AnswerCollector, answerFrames } from '../inspection/answer-pieces.ts';
import { consistentReport } from '../inspection/consistent-inspection.ts';
import type { AnswerFrame, MemberReport, QueryFrame } from '../transport/transport.ts';
import type { MemberHost } from './member-host.ts';

/** The parts of a membership that its queries use. */
export interface MemberQueriesContext {
  readonly current: MemberHost;
  readonly spansMachines: boolean;
  readonly report: () => MemberReport;
  refused(why: 'stranger', address: string | null): void;
  clocksMeasured(): void;
}

export const emptyReport: MemberReport = { report: null, clocks: [] };
export const snapshotMs = 2000; // time limit of a snapshot
const dialBackLimit = 256; // processes that join, in a lease

interface Question {
  answered(from: MemberId, frame: AnswerFrame): void;
  end(): void;
}

/** The questions of this process to other members, and its answers to theirs. */
export class MemberQueries {
  readonly #context: MemberQueriesContext;
  readonly #open = new Map<number, Question>();
  #lastQuestion = 0;
  #hasEnded = false;
  readonly #dialledBack = new Set<MemberId>(); // in this lease

  constructor(context: MemberQueriesContext) {
    this.#context = context;
  }

  /** Returns a number that no other question has. */
  nextQuestion(): number {
    this.#lastQuestion += 1;
    return this.#lastQuestion;
  }

  leasePassed(): void {
    this.#dialledBack.clear();
  }

  /** Returns the answers. Peers that do not answer in time are missing. */
  ask(
    host: MemberHost,
    peers: readonly Peer[],
    type: 'ask' | 'ping' | 'reach',
    timeoutMs: number,
  ): Promise<Map<MemberId, MemberReport>> {
    const collector = new AnswerCollector(peers.map(({ id }) => id));
    if (peers.length === 0 || this.#hasEnded) return Promise.resolve(collector.answers);
    const question = this.nextQuestion();
    for (const peer of peers) host.query(peer, type, question);
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#open.delete(question);
        resolve(collector.answers);
      };
      const timer = setTimeout(end, timeoutMs);
      const answered = (from: MemberId, frame: AnswerFrame) => {
        collector.add(from, frame);
        if (collector.isComplete) end();
      };
      this.#open.set(question, { answered, end });
    });
  }

  /** Ends all questions, and later ones at once, with the answers that have arrived. */
  end(): void {
    this.#hasEnded = true;
    for (const { end } of [...this.#open.values()]) end();
  }

  received(from: MemberId, query: QueryFrame, answer: (frame: AnswerFrame) => void): void {
    const { question } = query;
    const { member, clocks } = this.#context.current;
    const report = (reported: MemberReport) => {
      for (const frame of answerFrames(question, reported)) answer(frame);
    };
    switch (query.type) {
      case 'ask':
        report(this.#context.report());
        break;
      case 'ping':
        answer({ type: 'pong', question, clocks: clocks.reading() });
        break;
      case 'snapshot':
        member.snapshot(snapshotMs, (snapshot) =>
          report({ report: consistentReport(snapshot, member.view), clocks: [] }),
        );
        break;
      case 'reach':
        this.#dialBack(from, query.address, { type: 'pong', question, clocks: null });
        break;
      case 'answer':
      case 'answer-piece':
        this.#open.get(question)?.answered(from, query);
        break;
      case 'pong':
        this.#open.get(question)?.answered(from, query);
        if (clocks.pongReceived(from, question, query.clocks)) this.#context.clocksMeasured();
    }
  }

  /**
   * Answers a process that joins by a connection to the address at which it wants to be a member. This is the only address outside the view
   * that a member dials. The process has authenticated itself, so it could as well join with that address, and then all members would dial
   * it. On one machine nobody needs this, so nobody gets it.
   */
  #dialBack(id: MemberId, address: string, pong: AnswerFrame): void {
    const host = this.#context.current;
    this.#dialledBack.add(id);
    if (!this.#context.spansMachines || this.#dialledBack.size > dialBackLimit)
      this.#context.refused('stranger', address);
    else host.sendToPeer(host.peer(id) ?? { id, address, label: '', priority: 0 }, pong);
  }
}
