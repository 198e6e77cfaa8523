import { useEffect } from 'preact/hooks';
import { InputError } from '../../core/assert.ts';
import { useLab } from '../context.ts';
import type { Lab } from '../lab.ts';
import './check.css';
import { Form } from './form.tsx';
import { Gallery } from './gallery.tsx';
import { parseQuestion, type Question, questionText, subjects } from './question.ts';
import { Result } from './result.tsx';
import { useChecking } from './shared.ts';

/** Every interleaving: what to ask, what came of it, and what was printed wrong. */
export function View() {
  const lab = useLab();
  const checking = useChecking();
  const { question, problem } = questionOf(lab);
  useEffect(() => {
    if (!lab.isAsked) return;
    lab.isAsked = false;
    if (problem === null) checking.start(question);
  });
  const change = (next: Question) => {
    lab.question = questionText(next);
    lab.changed();
  };
  return (
    <main class="other check">
      <aside class="ask" aria-label="What is checked">
        <Form
          question={question}
          change={change}
          isRunning={checking.isRunning}
          start={() => {
            change(question);
            checking.start(question);
          }}
          stop={() => checking.stop()}
        />
      </aside>
      <Result lab={lab} checking={checking} question={question} problem={problem ?? checking.problem} />
      <Gallery lab={lab} checking={checking} change={change} />
    </main>
  );
}

/** What is asked; if nothing that could be, the usual, and why. */
function questionOf(lab: Lab): { readonly question: Question; readonly problem: string | null } {
  const { name, problem } = lab.algorithm;
  try {
    return { question: parseQuestion(lab.question || name), problem: null };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const possible = problem === 'clocks' || lab.own ? subjects[0]!.name : name;
    return { question: { algorithm: possible, fields: {} }, problem: error.message };
  }
}
