const tries = { first: 1000, growth: 8, last: 512_000 };
const worldsPerTry = 10; // a try takes about as long as expanding this many worlds

/**
 * Whether early delivery saves work is known only when its claims have been tried out, and for some algorithms these never come to an end. So it
 * gets a budget of tries. When that is used up, a search without it gets as much work; then early delivery has its turn again, with
 * eight times the budget. The whole takes at most a small multiple of what the faster of both would take alone.
 */
export class Alternation {
  tries = tries.first; // the budget of early delivery in its next turn
  patience = Infinity; // worlds that the search without it may expand in its turn

  /** Early delivery has had its turn. It gets another one if it had only used up its budget. */
  giveUp(isBudgetUsedUp: boolean): void {
    const mayTryAgain = isBudgetUsedUp && this.tries < tries.last;
    this.patience = mayTryAgain ? worldsPerTry * this.tries : Infinity;
    if (mayTryAgain) this.tries *= tries.growth;
  }
}
