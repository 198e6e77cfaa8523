// One declaration: its kind, its signature, its members, its doc comment and the types that it names.
import { noDoc, parseComment } from './comments.js';

export class Declarations {
  #ts;
  #checker;
  #exported;
  /** Names of the types of parameters that are called `options`. */
  optionTypes = new Set();

  /** `exported` has the public name of every exported symbol. */
  constructor(ts, checker, exported) {
    this.#ts = ts;
    this.#checker = checker;
    this.#exported = exported;
  }

  entryOf(symbol, name) {
    const ts = this.#ts;
    const [node] = symbol.declarations;
    const { uses, hidden } = this.#namesIn(symbol, name);
    const common = { name, doc: this.#docOf(node), members: [], uses, hidden };
    if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node))
      return {
        ...common,
        kind: ts.isClassDeclaration(node) ? 'class' : 'interface',
        signature: this.#headerOf(node, name),
        members: this.#membersOf(node),
      };
    if (ts.isTypeAliasDeclaration(node)) return { ...common, ...this.#aliasOf(node, name) };
    if (ts.isFunctionDeclaration(node))
      return {
        ...common,
        kind: 'function',
        signature: symbol.declarations.map((one) => this.#functionText(`function ${name}`, one)).join('\n'),
      };
    const signature = this.#functionTypeOf(node.type);
    if (signature !== null)
      return { ...common, kind: 'function', signature: this.#functionText(`function ${name}`, signature) };
    return {
      ...common,
      kind: 'constant',
      signature: `const ${name}${node.getText().slice(node.name.getText().length)};`,
    };
  }

  #docOf(node) {
    const comment = this.#ts.getJSDocCommentsAndTags(node).findLast((one) => this.#ts.isJSDoc(one));
    return comment === undefined ? noDoc : parseComment(comment.getText());
  }

  /** The first line of an interface or a class. */
  #headerOf(node, name) {
    const parameters = node.typeParameters?.map((one) => one.getText()).join(', ');
    const clauses = (node.heritageClauses ?? [])
      .map((clause) => ({ clause, kept: clause.types.filter((type) => !this.#isInlined(type)) }))
      .filter(({ kept }) => kept.length > 0)
      .map(({ clause, kept }) => {
        const word = clause.token === this.#ts.SyntaxKind.ExtendsKeyword ? 'extends' : 'implements';
        return ` ${word} ${kept.map((type) => type.getText().replace(/\s+/g, ' ')).join(', ')}`;
      });
    const kind = this.#ts.isClassDeclaration(node) ? 'class' : 'interface';
    return `${kind} ${name}${parameters ? `<${parameters}>` : ''}${clauses.join('')}`;
  }

  #aliasOf(node, name) {
    const ts = this.#ts;
    if (ts.isTypeLiteralNode(node.type)) {
      const parameters = node.typeParameters?.map((one) => one.getText()).join(', ');
      return {
        kind: 'type',
        signature: `type ${name}${parameters ? `<${parameters}>` : ''} = { … }`,
        members: this.#membersOf(node.type),
      };
    }
    return { kind: 'type', signature: node.getText().replace(/^export (declare )?/, '') };
  }

  /** The members that are public, those of bases that no subpath exports included. */
  #membersOf(node, path = '') {
    const bases = (node.heritageClauses ?? [])
      .flatMap((clause) => [...clause.types])
      .filter((type) => this.#isInlined(type))
      .flatMap((type) => this.#membersOf(this.#symbolAt(type.expression).declarations[0], path));
    const own = node.members
      .filter((member) => this.#isPublic(member))
      .flatMap((member) => this.#memberOf(member, path));
    return [...bases, ...own];
  }

  #isPublic(member) {
    const ts = this.#ts;
    const flags = ts.getCombinedModifierFlags(member);
    const isSetter = ts.isSetAccessor(member);
    const isErrorName = ts.isPropertyDeclaration(member) && member.getText().startsWith('readonly name = ');
    return (
      !isSetter &&
      !isErrorName &&
      !(flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) &&
      !(member.name !== undefined && ts.isPrivateIdentifier(member.name))
    );
  }

  #memberOf(node, path) {
    const ts = this.#ts;
    const name = `${path}${node.name?.getText() ?? ''}`;
    const common = {
      name,
      isOptional: node.questionToken !== undefined,
      isStatic: Boolean(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Static),
      type: '',
      signature: '',
      doc: this.#docOf(node),
    };
    if (ts.isConstructorDeclaration(node))
      return [
        {
          ...common,
          name: 'constructor',
          kind: 'constructor',
          signature: this.#functionText('constructor', node),
        },
      ];
    if (ts.isMethodSignature(node) || ts.isMethodDeclaration(node)) {
      const short = `${node.name.getText()}${common.isOptional ? '?' : ''}`;
      return [{ ...common, kind: 'method', signature: this.#functionText(short, node) }];
    }
    if (ts.isIndexSignatureDeclaration(node))
      return [
        { ...common, name: `${path}[…]`, kind: 'index', type: oneLine(node.getText()).replace(/;$/, '') },
      ];
    if (node.type === undefined)
      return [{ ...common, kind: 'property', type: node.initializer?.getText() ?? '' }];
    const { text, literals } = this.#collapse(node.type);
    const nested = literals.flatMap(({ literal, isList }) =>
      this.#membersOf(literal, `${name}${isList ? '[]' : ''}.`),
    );
    return [{ ...common, kind: 'property', type: text }, ...nested];
  }

  /** The text of a type, with the object types in it as `{ … }`, and these object types. */
  #collapse(type) {
    const ts = this.#ts;
    const literals = [];
    const visit = (node, isList) => {
      if (
        ts.isTypeLiteralNode(node) &&
        node.members.every((member) => !ts.isIndexSignatureDeclaration(member))
      )
        literals.push({ literal: node, isList });
      else if (ts.isArrayTypeNode(node)) visit(node.elementType, true);
      else if (ts.isTypeOperatorNode(node) || ts.isParenthesizedTypeNode(node)) visit(node.type, isList);
      else if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node))
        for (const part of node.types) visit(part, isList);
    };
    visit(type, false);
    let text = type.getText();
    for (const { literal } of literals) text = text.replace(literal.getText(), '{ … }');
    return { text: oneLine(text), literals };
  }

  /** The function type behind a type, if it is one, also by an alias that no subpath exports. */
  #functionTypeOf(type) {
    if (type === undefined) return null;
    if (this.#ts.isFunctionTypeNode(type)) return type;
    if (!this.#ts.isTypeReferenceNode(type)) return null;
    const symbol = this.#symbolAt(type.typeName);
    const node = this.#exported.has(symbol) ? undefined : symbol?.declarations?.[0];
    return node !== undefined && this.#ts.isTypeAliasDeclaration(node)
      ? this.#functionTypeOf(node.type)
      : null;
  }

  #functionText(head, node) {
    for (const parameter of node.parameters) this.#noteOptions(parameter);
    const generics = node.typeParameters?.map((one) => one.getText()).join(', ');
    const parameters = node.parameters.map((one) => oneLine(one.getText()));
    const result = node.type === undefined ? '' : `: ${oneLine(node.type.getText())}`;
    const start = `${head}${generics ? `<${generics}>` : ''}`;
    const line = `${start}(${parameters.join(', ')})${result};`;
    return line.length <= 110
      ? line
      : `${start}(\n${parameters.map((one) => `  ${one},\n`).join('')})${result};`;
  }

  #noteOptions({ name, type }) {
    if (name.getText() === 'options' && type !== undefined && this.#ts.isTypeReferenceNode(type))
      this.optionTypes.add(type.typeName.getText());
  }

  /** Whether a base is inlined: it is ours, and no subpath exports it. */
  #isInlined(type) {
    const symbol = this.#symbolAt(type.expression);
    return symbol !== undefined && this.#isOurs(symbol) && !this.#exported.has(symbol);
  }

  #isOurs = (symbol) => symbol.declarations?.[0]?.getSourceFile().fileName.includes('/dist/') ?? false;

  #symbolAt(node) {
    const symbol = this.#checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & this.#ts.SymbolFlags.Alias
      ? this.#checker.getAliasedSymbol(symbol)
      : symbol;
  }

  /** The types that a declaration names: those that a subpath exports, and the others of ours. */
  #namesIn(of, name) {
    const ts = this.#ts;
    const [uses, hidden] = [new Set(), new Set()];
    const add = (node) => {
      const symbol = this.#symbolAt(node);
      if (symbol === undefined || symbol === of || symbol.flags & ts.SymbolFlags.TypeParameter) return;
      if (this.#exported.has(symbol)) uses.add(this.#exported.get(symbol));
      else if (this.#isOurs(symbol)) hidden.add(symbol.name);
    };
    const visit = (node) => {
      const flags = ts.canHaveModifiers(node) ? ts.getCombinedModifierFlags(node) : 0;
      if (flags & ts.ModifierFlags.Private) return;
      if (ts.isTypeReferenceNode(node)) add(node.typeName);
      if (ts.isExpressionWithTypeArguments(node)) add(node.expression);
      if (ts.isTypeQueryNode(node)) add(node.exprName);
      ts.forEachChild(node, visit);
    };
    for (const declaration of of.declarations) visit(declaration);
    uses.delete(name);
    return { uses: [...uses].sort(), hidden: [...hidden].sort() };
  }
}

const oneLine = (text) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/; \}/g, ' }')
    .trim();
