/** Adds formulas and simplifies the sum: n-1 and 1 give n, three times n-1 gives 3(n-1). */
export function sumOf(formulas: readonly string[]): string {
  const factors = new Map<string, number>(); // by term
  let constant = 0;
  for (const part of formulas.flatMap(termsOf)) {
    const { factor, term } = parse(part);
    if (term === '') constant += factor;
    else factors.set(term, (factors.get(term) ?? 0) + factor);
  }
  const terms = [...factors];
  const lines = terms.map(([term, factor]) => line(term, factor));
  const isLine = lines.every((one) => one !== null && one.variable === lines[0]!.variable);
  if (isLine && terms.length + (constant === 0 ? 0 : 1) > 1) {
    const slope = lines.reduce((sum, one) => sum + one!.slope, 0);
    const offset = lines.reduce((sum, one) => sum + one!.offset, constant);
    return `${times(slope, lines[0]!.variable)}${offset === 0 ? '' : offset > 0 ? `+${offset}` : offset}`;
  }
  const written = terms.map(([term, factor]) => times(factor, term));
  if (constant !== 0 || written.length === 0) written.push(`${constant}`);
  return written.join(' + ');
}

/** The terms between plus signs, outside brackets. */
function termsOf(formula: string): string[] {
  const terms = [''];
  let depth = 0;
  for (const part of formula.split(/([()]| \+ )/)) {
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
    if (part === ' + ' && depth === 0) terms.push('');
    else terms[terms.length - 1] += part;
  }
  return terms;
}

/** Splits off the factor of 3, 2n or 2(K-1); any other formula is a term with factor 1. */
function parse(formula: string): { readonly factor: number; readonly term: string } {
  if (/^\d+$/.test(formula)) return { factor: Number(formula), term: '' };
  const match = /^(\d+)(?:([A-Za-z])|\(([^()]+)\))$/.exec(formula);
  return match ? { factor: Number(match[1]), term: match[2] ?? match[3]! } : { factor: 1, term: formula };
}

/** Parses a linear term: n, n+2 or 2n-1. */
function line(term: string, factor: number) {
  const match = /^(\d*)([A-Za-z])([+-]\d+)?$/.exec(term);
  if (!match) return null;
  const [, slope, variable, offset] = match;
  return { variable: variable!, slope: factor * Number(slope || 1), offset: factor * Number(offset ?? 0) };
}

function times(factor: number, term: string): string {
  if (factor === 1) return term;
  return /^[A-Za-z]$/.test(term) ? `${factor}${term}` : `${factor}(${term})`;
}
