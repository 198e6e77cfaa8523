/// <reference path="./ambient.d.ts" />
import ts from '@ts-morph/common/dist/typescript.js';

const maxRounds = 1_000_000;

/**
 * Makes every loop throw after a million rounds. A thread that loops forever can only be terminated, and then nobody knows
 * in which line it was; the error has a line, and the checker has a run that leads to it.
 */
export const guardLoops: ts.TransformerFactory<ts.SourceFile> = (context) => {
  const { factory } = context;

  /** Returns a counter and the loop, in which every round counts. */
  function guarded(loop: ts.IterationStatement, labels: readonly ts.Identifier[]): ts.Statement[] {
    const counter = factory.createUniqueName('rounds');
    const declaration = factory.createVariableStatement(
      undefined,
      factory.createVariableDeclarationList(
        [factory.createVariableDeclaration(counter, undefined, undefined, factory.createNumericLiteral(0))],
        ts.NodeFlags.Let,
      ),
    );
    const message = factory.createStringLiteral(`a loop has not ended after ${maxRounds} rounds`);
    const error = factory.createNewExpression(factory.createIdentifier('Error'), undefined, [message]);
    const check = factory.createIfStatement(
      factory.createGreaterThan(
        factory.createPrefixIncrement(counter),
        factory.createNumericLiteral(maxRounds),
      ),
      ts.setSourceMapRange(factory.createThrowStatement(ts.setSourceMapRange(error, loop)), loop),
    );
    const body = factory.createBlock([check, loop.statement], true);
    const labelled = labels.reduceRight<ts.Statement>(
      (statement, label) => factory.createLabeledStatement(label, statement),
      withBody(loop, body),
    );
    return [declaration, labelled];
  }

  function withBody(loop: ts.IterationStatement, body: ts.Block): ts.IterationStatement {
    if (ts.isForStatement(loop))
      return factory.updateForStatement(loop, loop.initializer, loop.condition, loop.incrementor, body);
    if (ts.isForOfStatement(loop))
      return factory.updateForOfStatement(loop, loop.awaitModifier, loop.initializer, loop.expression, body);
    if (ts.isForInStatement(loop))
      return factory.updateForInStatement(loop, loop.initializer, loop.expression, body);
    if (ts.isWhileStatement(loop)) return factory.updateWhileStatement(loop, loop.expression, body);
    return factory.updateDoStatement(loop as ts.DoStatement, body, (loop as ts.DoStatement).expression);
  }

  function visit(node: ts.Node): ts.VisitResult<ts.Node> {
    const labels: ts.Identifier[] = [];
    let inner = node;
    for (; ts.isLabeledStatement(inner); inner = inner.statement) labels.push(inner.label);
    if (!ts.isIterationStatement(inner, false)) return ts.visitEachChild(node, visit, context);
    return guarded(ts.visitEachChild(inner, visit, context), labels);
  }

  return (file) => ts.visitEachChild(file, visit, context);
};
