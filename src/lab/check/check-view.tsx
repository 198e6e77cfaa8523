import { useEffect } from 'preact/hooks';
import { InputError } from '../../core/assert.ts';
import type { LabStore } from '../state/lab-store.ts';
import { useLab } from '../ui/context.ts';
import './check.css';
import { CheckForm } from './check-form.tsx';
import {
  type CheckRequest,
  checkableAlgorithms,
  checkRequestText,
  parseCheckRequest,
} from './check-request.ts';
import { CheckResultPanel } from './check-result.tsx';
import { ErrataList } from './errata-list.tsx';
import { useCheckClient } from './use-check-client.ts';

/** Every interleaving: what to ask, what came of it, and what was printed wrong. */
export function CheckView() {
  const lab = useLab();
  const checking = useCheckClient();
  const { question, problem } = checkRequestOf(lab);
  useEffect(() => {
    if (!lab.isCheckPending) return;
    lab.isCheckPending = false;
    if (problem === null) checking.start(question);
  });
  const change = (next: CheckRequest) => {
    lab.checkRequest = checkRequestText(next);
    lab.notify();
  };
  return (
    <main class="other check">
      <aside class="ask" aria-label="What is checked">
        <CheckForm
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
      <CheckResultPanel
        lab={lab}
        checking={checking}
        question={question}
        problem={problem ?? checking.problem}
      />
      <ErrataList lab={lab} checking={checking} change={change} />
    </main>
  );
}

/** What is asked; if nothing that could be, the usual, and why. */
function checkRequestOf(lab: LabStore): { readonly question: CheckRequest; readonly problem: string | null } {
  const { name, problem } = lab.algorithm;
  try {
    return { question: parseCheckRequest(lab.checkRequest || name), problem: null };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const possible = problem === 'clocks' || lab.customAlgorithm ? checkableAlgorithms[0]!.name : name;
    return { question: { algorithm: possible, fields: {} }, problem: error.message };
  }
}
