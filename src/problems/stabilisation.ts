import type { Violation } from './monitor.ts';

/**
 * Self-stabilisation, as Dijkstra has it. Closure: a legitimate world remains so until it is disturbed. Convergence: the run is not over
 * before the last disturbance has come and the world is legitimate again.
 */
export class Stabilisation {
  isLegitimate = true;
  #toCome: number;

  constructor(disturbances: number) {
    this.#toCome = disturbances;
  }

  get isOver(): boolean {
    return this.#toCome === 0 && this.isLegitimate;
  }

  disturbed(): void {
    this.#toCome -= 1;
    this.isLegitimate = false;
  }

  sees(legitimate: boolean): Violation | null {
    const isLeft = this.isLegitimate && !legitimate;
    this.isLegitimate = legitimate;
    return isLeft ? noClosure : null;
  }

  atRest(): Violation[] {
    return this.isOver ? [] : [noConvergence('no message is left that could change it')];
  }
}

export const noClosure: Violation = {
  property: 'once legitimate, always legitimate',
  why: 'the world left it, and nothing disturbed it',
};

export const noConvergence = (why: string): Violation => ({ property: 'the world becomes legitimate', why });
