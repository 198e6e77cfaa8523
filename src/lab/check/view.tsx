import { useEffect } from 'preact/hooks';
import { InputError } from '../../core/assert.ts';
import { useLab } from '../context.ts';
import type { Lab } from '../lab.ts';
import './check.css';
import { Form } from './form.tsx';
import { Gallery } from './gallery.tsx';
import { parseQuestion, type Question, questionText } from './question.ts';
import { Result } from './result.tsx';
import { useChecking } from './shared.ts';

/** Every interleaving: what to ask, what came of it, and what was printed wrong. */
export function View() {
  const lab = useLab();
  const checking = useChecking();
  const question = questionOf(lab);
  useEffect(() => {
    if (!lab.isAsked) return;
    lab.isAsked = false;
    checking.start(question);
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
      <Result lab={lab} checking={checking} question={question} />
      <Gallery lab={lab} checking={checking} change={change} />
    </main>
  );
}

/** What is asked; if nothing that could be, the usual. */
function questionOf(lab: Lab): Question {
  const plain = { algorithm: lab.algorithm.name, fields: {} };
  if (lab.question === '') return plain;
  try {
    return parseQuestion(lab.question);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return plain;
  }
}
