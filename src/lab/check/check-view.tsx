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

/** Checks every interleaving: the request, its result, and a list of errata that the checker demonstrates. */
export function CheckView() {
  const lab = useLab();
  const client = useCheckClient();
  const { request, problem } = checkRequestOf(lab);
  useEffect(() => {
    if (!lab.isCheckPending) return;
    lab.isCheckPending = false;
    if (problem === null) client.start(request);
  });
  const change = (next: CheckRequest) => {
    lab.checkRequest = checkRequestText(next);
    lab.notify();
  };
  return (
    <main class="other check">
      <aside class="ask" aria-label="What is checked">
        <CheckForm
          request={request}
          change={change}
          isRunning={client.isRunning}
          start={() => {
            change(request);
            client.start(request);
          }}
          stop={() => client.stop()}
        />
      </aside>
      <CheckResultPanel lab={lab} client={client} request={request} problem={problem ?? client.problem} />
      <ErrataList lab={lab} client={client} change={change} />
    </main>
  );
}

/** Returns the request of the page. If it is invalid, returns a default request and the problem. */
function checkRequestOf(lab: LabStore): { readonly request: CheckRequest; readonly problem: string | null } {
  const { algorithm, customAlgorithm, checkRequest } = lab;
  const asked = parsedOrProblem(checkRequest || algorithm.name, customAlgorithm);
  if (typeof asked !== 'string') return { request: asked, problem: null };
  const possible = parsedOrProblem(algorithm.name, customAlgorithm);
  const first = { algorithm: checkableAlgorithms[0]!.name, fields: {} };
  return { request: typeof possible === 'string' ? first : possible, problem: asked };
}

function parsedOrProblem(text: string, customAlgorithm: LabStore['customAlgorithm']): CheckRequest | string {
  try {
    return parseCheckRequest(text, customAlgorithm);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return error.message;
  }
}
