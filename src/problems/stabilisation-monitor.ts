import type { Violation } from './monitor.ts';

/**
 * Self-stabilisation, as Dijkstra defines it. Closure: a legitimate global state stays legitimate until a disturbance. Convergence: after
 * the last disturbance, the global state becomes legitimate again.
 */
export class StabilisationMonitor {
  isLegitimate = true;
  #disturbancesToCome: number;

  constructor(disturbances: number) {
    this.#disturbancesToCome = disturbances;
  }

  get isOver(): boolean {
    return this.#disturbancesToCome === 0 && this.isLegitimate;
  }

  disturbed(): void {
    this.#disturbancesToCome -= 1;
    this.isLegitimate = false;
  }

  observe(legitimate: boolean): Violation | null {
    const isLeft = this.isLegitimate && !legitimate;
    this.isLegitimate = legitimate;
    return isLeft ? noClosure : null;
  }

  /** @param help what could change the global state: a message or a write. */
  whenQuiescent(help = 'message'): Violation[] {
    return this.isOver ? [] : [noConvergence(`no ${help} is left that could change it`)];
  }
}

export const noClosure: Violation = {
  property: 'once legitimate, always legitimate',
  why: 'the world left it, and nothing disturbed it',
};

export const noConvergence = (why: string): Violation => ({ property: 'the world becomes legitimate', why });
